import { parseStoredRow } from '../columns/index.js';
import { valueAt } from '../columns/stored-row.js';
import type { BuiltIndex } from '../dataset/dataset-index.js';
import type { Condition } from '../filter/index.js';
import { compilePredicate } from '../filter/predicate.js';
import type { Replica } from '../dataset/replica.js';
import { type Leaf, leavesOf } from '../dataset/dataset-leaves.js';
import type { Datasets } from './datasets.js';

/** A row whose reference restricts the deletion of its target. */
export interface Referrer {
  dataset: string;
  id: bigint;
}

/**
 * Finds a row that forbids the deletion of an entity: one with a restricting reference to it, other than the entity
 * itself. Only datasets that this process has loaded are searched.
 */
export function createReferrers({ datasets }: { datasets: Pick<Datasets, 'all'> }) {
  const known = new WeakMap<Replica, Map<string, ReferredIds>>();

  /** Returns the referenced ids of a leaf without an index, collected once per version. */
  function gathered(replica: Replica, leaf: Leaf): ReadonlyMap<bigint, bigint> {
    const lists = known.get(replica) ?? new Map<string, ReferredIds>();
    known.set(replica, lists);
    const before = lists.get(leaf.path);
    if (before?.position === replica.position) return before.ids;
    const ids = gather(replica, leaf);
    lists.set(leaf.path, { position: replica.position, ids });
    return ids;
  }

  return function findReferrer(dataset: string, id: bigint): Referrer | undefined {
    for (const { name, replica, index } of datasets.all()) {
      const leaves = replica.declaration === undefined ? [] : [...leavesOf(replica.declaration.spec).values()];
      for (const leaf of leaves.filter((each) => each.restricts === true && each.dataset === dataset)) {
        const built = index?.built;
        const hasIndex = built?.columns.index(leaf.path) !== undefined;
        const self = name === dataset ? id : undefined;
        const found =
          built !== undefined && hasIndex
            ? throughIndex(replica, { built, leaf, id, self })
            : gathered(replica, leaf).get(id);
        if (found !== undefined && found !== self) return { dataset: name, id: found };
      }
    }
    return undefined;
  };
}
export type FindReferrer = ReturnType<typeof createReferrers>;

interface ReferredIds {
  position: number;
  /** Maps a referenced id to a row that refers to it. */
  ids: ReadonlyMap<bigint, bigint>;
}

/** Ignores rows of an entry that is being prepared: they count from its position on. */
const isNewest = ({ rows, position }: Replica, row: number): boolean =>
  !rows.isDeleted(row) && rows.findAt(rows.id(row), position) === row;

function throughIndex(
  replica: Replica,
  { built, leaf, id, self }: { built: BuiltIndex; leaf: Leaf; id: bigint; self: bigint | undefined },
): bigint | undefined {
  const { rows } = replica;
  const { columns } = built;
  const postings = columns.index(leaf.path);
  const code = postings?.find(id) ?? -1;
  if (postings === undefined || code < 0) return undefined;
  const condition: Condition = { kind: 'condition', leaf, operator: '==', values: [id], start: 0, end: 0 };
  // The index also lists rows that referred to it earlier.
  const refers = compilePredicate(condition, columns);
  let found: bigint | undefined;
  postings.each(code, (row) => {
    if (found === undefined && rows.id(row) !== self && isNewest(replica, row) && refers(row)) found = rows.id(row);
  });
  return found;
}

function gather(replica: Replica, leaf: Leaf): ReadonlyMap<bigint, bigint> {
  const { rows } = replica;
  const ids = new Map<bigint, bigint>();
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    if (!isNewest(replica, row)) continue;
    const own = rows.id(row);
    for (const value of [valueAt(parseStoredRow(rows.bytes(row).toString()), leaf)].flat()) {
      const target = typeof value === 'string' ? BigInt(value) : own;
      if (target !== own) ids.set(target, own);
    }
  }
  return ids;
}
