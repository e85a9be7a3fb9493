/** The time at which the state at a position was current. */
export interface CommitTime {
  position: number;
  at: string;
}

const MARK_MS = 10_000;

/** Adds a commit time, at most one per interval. */
export function addCommitTime(marks: CommitTime[], mark: CommitTime): void {
  const last = marks.at(-1);
  if (last === undefined || Date.parse(mark.at) - Date.parse(last.at) >= MARK_MS) marks.push(mark);
}

/** Returns the newest recorded position that was current at this time; 0 when there was none. */
export const positionAt = (marks: readonly CommitTime[], time: string): number =>
  marks.findLast((mark) => mark.at <= time)?.position ?? 0;

/** Removes all but the last of those at or before a position. */
export function dropCommitTimes(marks: CommitTime[], position: number): void {
  while ((marks[1]?.position ?? Infinity) <= position) marks.shift();
}
