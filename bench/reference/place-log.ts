import { places } from '../../examples/reference-data/places.js';
import { locationLine } from '../../examples/reference-data/lines.js';
import type { Change } from '../../reference/dataset/change.js';
import { BUILT_IN_DATASETS } from '../../reference/dataset/built-in-datasets.js';
import { acceptDataset } from '../../reference/dataset/dataset-validation.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

const TIME = '2026-01-01T00:00:00.000Z';
const ENTRY_ROWS = 500;

export const { spec: LOCATIONS } = acceptDataset('locations', { spec: BUILT_IN_DATASETS.get('locations') });

/**
 * The log of a dataset `locations` with so many places, as if an import had written it.
 * @returns removes it again: a database is elsewhere, and its memory no burden of the process
 */
export async function writePlaceLog(database: Database, count: number): Promise<() => Promise<void>> {
  const log = database.table<Row & { entry: unknown }>(collections.streams);
  const put = (stream: string, position: number, entry: object) => {
    const token = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
    return log.insert({ _id: `${stream}#${position}`, entry: { position, at: TIME, token, ...entry } });
  };
  await put('datasets', 1, { name: 'locations' });
  await put('locations', 1, { kind: 'schema', spec: LOCATIONS, schema: 1, actor: 'bench' });
  const rows = places(count);
  for (let from = 0, position = 2; from < count; from += ENTRY_ROWS, position += 1) {
    const changes = rows.slice(from, from + ENTRY_ROWS).map((row): Change => {
      const body = `${locationLine(row).slice(0, -1)},"version":1,"created_at":"${TIME}","updated_at":"${TIME}"}`;
      return { id: String(row.id), version: 1, at: TIME, body, actor: 'bench', schema: 1, commit: '' };
    });
    await put('locations', position, { kind: 'changes', changes });
  }
  return async () => {
    for (let position = 1; position <= 1 + Math.ceil(count / ENTRY_ROWS); position += 1) {
      await log.remove(`locations#${position}`);
    }
  };
}
