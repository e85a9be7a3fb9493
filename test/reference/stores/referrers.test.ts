import { expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDatasets } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../reference/stores/row-writes.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const SPECS = {
  skills: DatasetSpec.parse({ fields: { name: { type: 'text' }, parent: { type: 'ref', dataset: 'skills' } } }),
  people: DatasetSpec.parse({
    fields: {
      best: { type: 'ref', dataset: 'skills' },
      others: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
      once: { type: 'ref', dataset: 'skills', on_delete: 'keep' },
    },
  }),
};

// A process that searches finds them by its index, one that only writes by looking at the rows.
test.each([true, false])('what something refers to is not deleted; indexed: %s', async (indexed) => {
  const datasets = createDatasets({ database: createMemoryDatabase(), indexed });
  try {
    await datasets.start();
    const declarations = createDeclarations({ datasets });
    for (const [name, spec] of Object.entries(SPECS)) {
      await declarations.declare({ name, spec, actor: 'test', force: false });
    }
    const writes = createRowWrites({ datasets });
    const put = (dataset: string, id: bigint, row: object) => writes.put({ dataset, id, actor: 'test' }, row);
    const remove = (id: bigint) => writes.remove({ dataset: 'skills', id, actor: 'test' });
    for (let id = 1n; id <= 6n; id += 1n) await put('skills', id, { name: `skill ${id}` });
    await put('skills', 4n, { name: 'skill 4', parent: { id: '4' } });
    await put('skills', 5n, { name: 'skill 5', parent: { id: '6' } });
    await put('people', 10n, { best: { id: '1' }, others: [{ id: '2' }], once: { id: '3' } });

    await expect(remove(1n)).rejects.toMatchObject({ code: 'entity.restricted', message: 'people 10 refers to it' });
    await expect(remove(2n)).rejects.toMatchObject({ code: 'entity.restricted', message: 'people 10 refers to it' });
    await expect(remove(6n)).rejects.toMatchObject({ code: 'entity.restricted', message: 'skills 5 refers to it' });
    await remove(3n); // a reference to nothing is kept
    await remove(4n); // its own does not hold it
    await put('people', 10n, { others: [] });
    await remove(1n);
    await remove(2n);
    await remove(5n);
    await remove(6n);
    expect(datasets.get('skills').dataset.replica.rows.live()).toBe(0);
  } finally {
    await datasets.stop();
  }
});
