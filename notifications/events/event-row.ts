import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../reference/dataset/change.js';
import { type Leaf, leavesOf } from '../../reference/dataset/dataset-leaves.js';
import type { DatasetSpec } from '../../reference/dataset/dataset.js';
import { parseStoredRow, type StoredRow, valueAt } from '../../reference/columns/stored-row.js';

type Fields = Pick<DatasetSpec, 'fields'>;
/** The operation of a change on its row. */
type RowChange = Pick<Change, 'id' | 'version' | 'body' | 'previous'>;

/** Members of an event row that no field can be called. */
const SIDES = { old: '(old)', new: '(new)' } as const;
const CHANGED = '(changed)';

/**
 * Lists the fields of a filter of change events: the row as it is now (as it was, for a delete), the same under
 * `new.`, the row before under `old.`, and `changed(<field>)` for each field. A field named `old` is `new.old`.
 */
export function eventLeavesOf(spec: Fields): ReadonlyMap<string, Leaf> {
  const leaves = [...leavesOf(spec).values()];
  const under = (side: keyof typeof SIDES): Leaf[] =>
    leaves.map((leaf) => ({ ...leaf, path: `${side}.${leaf.path}`, steps: [SIDES[side], ...leaf.steps] }));
  const changes = leaves.map(({ path }): Leaf => {
    const steps = [CHANGED, path];
    return { path: `changed(${path})`, steps, type: 'boolean', list: false, filterable: true, sortable: false };
  });
  return new Map([...leaves, ...under('old'), ...under('new'), ...changes].map((leaf) => [leaf.path, leaf]));
}

/** The row that such a filter is tested on. */
export function toEventRow(spec: Fields, change: RowChange): StoredRow {
  const now = change.body === null ? {} : parseStoredRow(change.body);
  const before = rowBefore(change, now);
  const changed: Record<string, boolean> = {};
  for (const leaf of leavesOf(spec).values()) {
    changed[leaf.path] = !isDeepStrictEqual(valueAt(now, leaf), valueAt(before, leaf));
  }
  return { ...(change.body === null ? before : now), [SIDES.old]: before, [SIDES.new]: now, [CHANGED]: changed };
}

/** Restores the row before a change, with its id and version; fields that were absent are `null` in `previous`. */
export function rowBefore(
  { id, version, previous }: Pick<Change, 'id' | 'version' | 'previous'>,
  now: StoredRow,
): StoredRow {
  if (previous === undefined) return {};
  const { created_at: _, updated_at: __, ...fields } = now;
  const before: Record<string, unknown> = { ...fields, id, version: version - 1 };
  for (const [name, value] of Object.entries(parseStoredRow(previous))) {
    if (value === null) delete before[name];
    else before[name] = value;
  }
  return before;
}
