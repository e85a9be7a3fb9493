import { parseId } from '../../reference/rows/id.js';
import type { ImportRow } from '../../reference/rows/import-rows.js';
import type { Change } from '../../reference/dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type DatasetImport, MOST_ROW_PROBLEMS, type RowProblem } from '../../reference/dataset/import.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { RowWrites } from '../../reference/stores/row-writes.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';

interface Block {
  rows: readonly ImportRow[];
  /** Whether an earlier attempt may have written some of them. */
  isRepeated: boolean;
}
interface Surroundings {
  /** Ids of the block: its rows may refer to each other. */
  together: ReadonlySet<bigint>;
  isRepeated: boolean;
}
type Outcome = 'created' | 'updated' | 'unchanged' | RowProblem[];

/** Writes the rows of a block concurrently. @returns the import with updated counts and errors */
export function createAddBlock({ datasets, writes }: { datasets: Datasets; writes: RowWrites }) {
  async function addRow(given: DatasetImport, row: ImportRow, around: Surroundings): Promise<Outcome> {
    const { line, problem } = row;
    if (problem !== undefined) return [problem];
    const id = idOf(row);
    if (id === undefined) return refusal(line, 'id.malformed', 'every row has an id of its own');
    const { dry_run, mode } = given.options;
    const { dataset: name, actor } = given;
    const { dataset } = datasets.get(name);
    const key = `import/${given.id}/${line}`;
    const write = { dataset: name, id, actor, key, import: given.id, together: around.together };
    try {
      const current = dataset.replica.latest(String(id));
      const done = around.isRepeated ? await earlierTry(dataset, { id, key, version: current?.version }) : undefined;
      if (done !== undefined) return outcomeOf(done);
      if (mode === 'insert_only' && current?.body != null) {
        return refusal(line, 'entity.exists', `${name} has an entity ${id} already`);
      }
      if (dry_run) return DRY[writes.wouldChange(write, row.given) ?? 'none'];
      const { change } = await writes.put(write, row.given);
      return change === undefined ? 'unchanged' : outcomeOf(change);
    } catch (err) {
      // A retryable error fails the attempt, not the row.
      if (!(err instanceof SlipwayError) || err.retryable) throw err;
      if (err.problems.length > 0) return err.problems.map((each) => ({ ...each, line }));
      return [{ line, code: err.code, message: err.message }];
    }
  }

  return async function addBlock(given: DatasetImport, { rows, isRepeated }: Block): Promise<DatasetImport> {
    const counts = { ...given.counts };
    const errors = [...given.errors];
    const together = new Set(rows.flatMap((row) => idOf(row) ?? []));
    const outcomes = await Promise.all(
      [...grouped(rows)].map(async (group) => {
        const found: [ImportRow, Outcome][] = [];
        for (const row of group) found.push([row, await addRow(given, row, { together, isRepeated })]);
        return found;
      }),
    );
    for (const [, outcome] of outcomes.flat().sort(([one], [other]) => one.line - other.line)) {
      counts.rows_read += 1;
      if (typeof outcome === 'string') counts[outcome] += 1;
      else {
        counts.failed += 1;
        errors.push(...outcome.slice(0, Math.max(0, MOST_ROW_PROBLEMS - errors.length)));
      }
    }
    return { ...given, counts, errors, cursor: rows.at(-1)?.cursor ?? given.cursor };
  };
}

/**
 * Returns the change that an earlier attempt wrote for this row; later rows of the same entity may have newer versions.
 */
async function earlierTry(
  { records }: LiveDataset,
  { id, key, version = 0 }: { id: bigint; key: string; version?: number | undefined },
): Promise<Change | undefined> {
  const own = key.slice(0, key.lastIndexOf('/') + 1);
  for (let tried = version; tried > 0; tried -= 1) {
    const change = await records.get(String(id), tried);
    if (change?.key === key) return change;
    if (change?.key?.startsWith(own) !== true) return undefined;
  }
  return undefined;
}

/** Groups rows by entity, in order: the last one of a group determines the final state. */
function grouped(rows: readonly ImportRow[]): Iterable<ImportRow[]> {
  const groups = new Map<unknown, ImportRow[]>();
  for (const row of rows) {
    const key = idOf(row) ?? row; // a row without an id forms a group of its own
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups.values();
}

export const idOf = ({ given }: ImportRow): bigint | undefined =>
  typeof given === 'object' && given !== null && 'id' in given ? parseId(given.id) : undefined;

const DRY = { create: 'created', update: 'updated', none: 'unchanged' } as const;
const outcomeOf = ({ previous }: { previous?: string }) => (previous === undefined ? 'created' : 'updated');
const refusal = (line: number, code: string, message: string): RowProblem[] => [
  { line, code, pointer: '/id', message },
];
