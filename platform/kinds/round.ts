/** Where the next turn of a round continues: at this item of this part. */
export interface RoundPosition {
  part: string;
  item: string;
}

/** The result of a turn, or of a whole round. */
export interface RoundResult {
  /** How often each thing was done. */
  done: Record<string, number>;
  /** The first items that failed, each with its message; `done.skipped` counts all of them. */
  skipped: string[];
  /** Parts whose items could not be read, each with its message; absent when there are none. */
  failed?: string[];
  /** Absent when the round is complete. */
  next?: RoundPosition;
}

const MOST_NAMED = 20;

/** Joins the results of two turns, the earlier one first. */
export function joinResults(earlier: RoundResult, later: RoundResult): RoundResult {
  const done = { ...earlier.done };
  for (const [what, count] of Object.entries(later.done)) done[what] = (done[what] ?? 0) + count;
  const skipped = [...earlier.skipped, ...later.skipped].slice(0, MOST_NAMED);
  const failed = [...(earlier.failed ?? []), ...(later.failed ?? [])];
  return { done, skipped, ...(failed.length > 0 && { failed }), ...(later.next && { next: later.next }) };
}
