import { expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDatasets } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

test('who needs a dataset is given it, also when it was named and not declared at the first look', async () => {
  const database = createMemoryDatabase();
  const [one, other] = [createDatasets({ database }), createDatasets({ database })];
  try {
    await one.start();
    await one.open('words');
    await other.start();
    await expect(other.need('words')).rejects.toMatchObject({ code: 'dataset.not_found' });

    const spec = DatasetSpec.parse({ fields: { word: { type: 'text' } } });
    await createDeclarations({ datasets: one }).declare({ name: 'words', spec, actor: 'test', force: false });
    expect((await other.need('words')).declaration.spec).toEqual(spec);
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
});
