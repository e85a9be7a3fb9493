import { updatedAtOf } from '../../reference/rows/row-text.js';
import type { Change } from '../../reference/dataset/change.js';
import type { WatchSpec } from '../kinds/watch.js';
import type { DatasetObserver } from './observer.js';

export interface GapStart {
  /** Version that began the gap. */
  gap: number;
  since: number;
}

export interface GapStartOptions {
  counts: WatchSpec['counts'];
  armAt: WatchSpec['arm_at'];
  /** When the watch was created. */
  createdAt: number;
  observer: DatasetObserver;
  read: (id: string, version: number) => Promise<Change | undefined>;
}

/**
 * Finds the begin of the gap of an entity in the scope: the newest change that counts, or the one that entered the
 * scope. It depends on stored changes alone, so every evaluator finds the same.
 * @param row the newest state
 * @returns undefined while the watch waits for a first change
 */
export async function findGapStart(
  options: GapStartOptions,
  row: { id: string; version: number; body: string },
): Promise<GapStart | undefined> {
  const { counts, armAt, createdAt } = options;
  const isPlain = counts.fields === null && counts.dwell === null;
  const { gap, since } = isPlain
    ? { gap: row.version, since: Date.parse(updatedAtOf(row.body)) }
    : await walkBack(options, row);
  if (armAt === 'first_change' && since <= createdAt) return undefined;
  return { gap, since: armAt === 'creation' ? Math.max(since, createdAt) : since };
}

/** Point reads down from the newest version, as nothing else knows what changed when. */
async function walkBack(
  { observer, read, counts }: GapStartOptions,
  { id, version, body }: { id: string; version: number; body: string },
): Promise<GapStart> {
  let since = Date.parse(updatedAtOf(body));
  let gap = version;
  let current = await read(id, version);
  while (current !== undefined) {
    gap = current.version;
    since = Date.parse(current.at);
    const before = gap > 1 ? await readTaken(read, id, gap - 1) : undefined;
    const earlier = before === undefined ? { member: false, dwells: false } : observer.membershipOf(before.body);
    const isOfListed = counts.dwell === null && observer.observe(current, 0)?.counts === true;
    if (isOfListed || !earlier.member || !earlier.dwells) break;
    current = before;
  }
  return { gap, since };
}

/** A version that the declaration did not take has no content of its own. */
async function readTaken(read: GapStartOptions['read'], id: string, from: number): Promise<Change | undefined> {
  for (let version = from; version > 0; version -= 1) {
    const change = await read(id, version);
    if (change === undefined || change.refused !== true) return change;
  }
  return undefined;
}
