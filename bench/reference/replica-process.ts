import { DatasetSpec } from '../../reference/dataset/dataset.js';
import type { Change, LogEntry } from '../../reference/dataset/change.js';
import { createDatasetIndex } from '../../reference/dataset/dataset-index.js';
import { createReplica } from '../../reference/dataset/replica.js';
import { acceptsRow, rewriteRow } from '../../reference/rows/row-validation.js';
import { collections } from '../../platform/stores/collections.js';
import type { Row } from '../../platform/stores/database.js';
import { createDatasets } from '../../reference/stores/datasets.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { createSnapshots } from '../../reference/stores/snapshots.js';
import { places } from '../../examples/reference-data/places.js';

// One step in a process of its own: `save` writes the snapshot of so many locations, `start` reads it.
const [step = '', folder = '', rowCount = ''] = process.argv.slice(2);
const count = Number(rowCount);
const TIME = '2026-01-01T00:00:00.000Z';
const ENTRY_ROWS = 500;
const LAST = Math.ceil(count / ENTRY_ROWS) + 1;
const tokenOf = (position: number): string => `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
const SPEC = DatasetSpec.parse({
  fields: {
    name: { type: 'text', required: true },
    country_name: { type: 'text' },
    admin_code: { type: 'text' },
    population: { type: 'integer' },
  },
  lookup: { fields: ['name'], aliases: ['country_name', 'admin_code'], weight: 'population' },
});
const snapshots = createSnapshots({ objects: createMemoryObjects(), folder });

function report(figures: Record<string, number>): void {
  if (process.send === undefined) console.log(figures);
  else process.send(figures);
}

async function save(): Promise<void> {
  const replica = createReplica({ accepts: acceptsRow, rewrite: rewriteRow });
  const place = (position: number) => ({ position, at: TIME, token: tokenOf(position) });
  replica.apply({ ...place(1), kind: 'schema', spec: SPEC, schema: 1, actor: 'bench' });
  const rows = places(count);
  for (let from = 0, position = 2; from < count; from += ENTRY_ROWS, position += 1) {
    const changes = rows.slice(from, from + ENTRY_ROWS).map((row): Change => {
      const { countryName: country_name, adminCode: admin_code, name, population } = row;
      const fields = JSON.stringify({ name, country_name, admin_code, population }).slice(1, -1);
      const body = `{"id":"${row.id}",${fields},"version":1,"created_at":"${TIME}","updated_at":"${TIME}"}`;
      return { id: String(row.id), version: 1, at: TIME, body, actor: 'bench', schema: 1, commit: '' };
    });
    replica.apply({ ...place(position), kind: 'changes', changes });
  }
  const head = replica.head();
  if (head === undefined || head.position !== LAST) throw new Error('the replica is not where it should be');
  const index = createDatasetIndex(replica.rows);
  await index.build(replica.declaration);
  const began = performance.now();
  await snapshots.save('locations', replica, head, index.encodeLookup());
  report({ saveSeconds: seconds(began) });
}

async function start(): Promise<void> {
  const database = createMemoryDatabase();
  const log = database.table<Row & { entry: unknown }>(collections.streams);
  const place = { at: TIME, token: tokenOf(LAST) };
  await log.insert({ _id: 'datasets#1', entry: { ...place, position: 1, name: 'locations' } });
  const last: LogEntry = { ...place, position: LAST, kind: 'changes', changes: [] };
  await log.insert({ _id: `locations#${LAST}`, entry: last });
  globalThis.gc?.();
  const before = memory();
  const began = performance.now();
  const datasets = createDatasets({ database, indexed: true, snapshots, onError: (err) => console.error(err) });
  await datasets.start();
  const [dataset] = datasets.all();
  await dataset?.start();
  const readySeconds = seconds(began);
  if (dataset?.replica.rows.live() !== count) throw new Error('rows are missing');
  globalThis.gc?.();
  const bytesPerRow = (memory() - before) / count;
  report({ readySeconds, bytesPerRow, rssMiB: process.memoryUsage().rss / 2 ** 20 });
  await datasets.stop();
}

const seconds = (began: number): number => (performance.now() - began) / 1_000;
function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

await (step === 'save' ? save() : start());
process.disconnect?.();
