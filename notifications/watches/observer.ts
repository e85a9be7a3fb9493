import { isDeepStrictEqual } from 'node:util';
import { parseStoredRow, type StoredRow, valueAt } from '../../reference/columns/stored-row.js';
import { rowBefore } from '../events/event-row.js';
import { parseFilter } from '../../reference/filter/index.js';
import { compileRowPredicate, type RowPredicate } from '../../reference/filter/row-predicate.js';
import type { Change } from '../../reference/dataset/change.js';
import { type Leaf, leavesOf } from '../../reference/dataset/dataset-leaves.js';
import type { DatasetSpec } from '../../reference/dataset/dataset.js';
import type { EventEntry } from '../../platform/kinds/platform-event.js';
import type { DatasetWatchSpec, EventWatchSpec, WatchSpec } from '../kinds/watch.js';
import type { Observation } from './gap-machine.js';

type Declared = Pick<DatasetSpec, 'fields'>;
/** The view of a watch on the entries of a log; `undefined`: the entry does not concern the watch. */
export interface Observer {
  declare(declared: Declared): void;
  /** @param position of its entry */
  observe(change: Change, position: number): Observation | undefined;
  observeEvent(entry: EventEntry): Observation | undefined;
  /** @returns the name of an entity in the API */
  nameOf(id: bigint): string;
  /** @returns names of entities that the observer numbers itself; a checkpoint needs them */
  names(): readonly string[];
}
export type DatasetObserver = ReturnType<typeof createObserver>;

export const observesDataset = (spec: WatchSpec): spec is DatasetWatchSpec => 'dataset' in spec.scope;
export const observesEvents = (spec: WatchSpec): spec is EventWatchSpec => 'stream' in spec.scope;

/** The one entity that a watch of a whole set has; no row is called so. */
export const THE_SET = 0n;

/** @returns the name of an entity in paths and record ids; a whole set is called "set" */
export const entityName = (id: bigint): string => (id === THE_SET ? 'set' : String(id));

/** Observes the rows and changes of a dataset for a watch. */
export function createObserver(
  { scope, each, counts }: Pick<DatasetWatchSpec, 'scope' | 'each' | 'counts'>,
  given: Declared,
) {
  let inFilter: RowPredicate = () => true;
  let inDwell: RowPredicate = () => true;
  let listed: readonly Leaf[] | undefined;
  declare(given);

  /** A filter whose fields a declaration has lost goes by the declaration that still had them. */
  function compile(text: string | null, declared: Declared, before: RowPredicate): RowPredicate {
    if (text === null) return before;
    const result = parseFilter(text, { dataset: scope.dataset, leaves: leavesOf(declared) });
    return result.ok ? compileRowPredicate(result.filter) : before;
  }

  function declare(declared: Declared): void {
    inFilter = compile(scope.filter, declared, inFilter);
    inDwell = compile(counts.dwell, declared, inDwell);
    const { fields } = counts;
    listed = fields === null ? undefined : leavesUnder(fields, declared);
  }

  const isMember = (row: StoredRow): boolean =>
    (scope.entity === null || row.id === scope.entity) && row.id !== undefined && inFilter(row);

  function isOfListed(change: Change, now: StoredRow, before: StoredRow): boolean {
    if (listed === undefined || change.previous === undefined || change.body === null) return true;
    return listed.some((leaf) => !isDeepStrictEqual(valueAt(now, leaf), valueAt(before, leaf)));
  }

  return {
    declare,
    observeEvent: () => undefined,
    nameOf: entityName,
    names: () => [],
    /** Whether an entity is in the scope, and is what it is to stay. */
    membershipOf: (body: string | null) => {
      const row = body === null ? undefined : parseStoredRow(body);
      return row === undefined || !isMember(row)
        ? { member: false, dwells: false }
        : { member: true, dwells: inDwell(row) };
    },
    observe(change: Change, position: number): Observation | undefined {
      const now = change.body === null ? {} : parseStoredRow(change.body);
      const member = isMember(now);
      const needsBefore = each === 'set' || listed !== undefined;
      const before = needsBefore ? rowBefore(change, now) : {};
      const isListed = isOfListed(change, now, before);
      if (each === 'set') {
        const isOfSet = isListed && (member || isMember(before));
        return isOfSet ? { id: THE_SET, version: position, member: true, counts: true, dwells: true } : undefined;
      }
      return {
        id: BigInt(change.id),
        version: change.version,
        member,
        counts: isListed,
        dwells: member && inDwell(now),
      };
    },
  };
}

/** Expands fields: `customer` names all fields in it. */
export const leavesUnder = (fields: readonly string[], declared: Declared): Leaf[] =>
  [...leavesOf(declared).values()].filter(({ path }) =>
    fields.some((field) => path === field || path.startsWith(`${field}.`)),
  );
