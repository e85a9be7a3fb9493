import { afterEach } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDatasets, type Datasets, type DatasetsOptions } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../reference/stores/row-writes.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const opened: Datasets[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((datasets) => datasets.stop()));
});

/** Opens a process on a database, which ends with the test. */
export async function openDatasets(database = createMemoryDatabase(), more: Partial<DatasetsOptions> = {}) {
  const datasets = createDatasets({ database, ...more });
  opened.push(datasets);
  await datasets.start();
  const declarations = createDeclarations({ datasets });
  const writes = createRowWrites({ datasets });
  return {
    ...{ database, datasets, declarations, writes },
    declare: (name: string, fields: object, force = false) =>
      declarations.declare({ name, spec: DatasetSpec.parse({ fields }), actor: 'ana', force }),
    put: (dataset: string, id: number | bigint, given: object) =>
      writes.put({ dataset, id: BigInt(id), actor: 'ana' }, given),
    remove: (dataset: string, id: number | bigint) => writes.remove({ dataset, id: BigInt(id), actor: 'ana' }),
  };
}
