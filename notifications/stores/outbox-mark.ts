/** The oldest block that is kept, and its first sequence. */
export interface Retained {
  block: number;
  sequence: number;
}

/** The part of an outbox that is kept. */
export interface OutboxMark {
  retained: Retained;
  /** Blocks before this number are removed; from it to `retained` a purge may have left some. */
  removedBefore: number;
  /** Sequences of removed blocks whose events are kept. */
  kept?: readonly number[];
}

/** The mark of an outbox that was never purged. */
export const WHOLE_OUTBOX: OutboxMark = { retained: { block: 1, sequence: 1 }, removedBefore: 1 };

/** Moves the retained block forward, never back; the blocks before it are still to be removed. */
export function startPurge(mark: OutboxMark = WHOLE_OUTBOX, first: Retained): OutboxMark {
  const retained = mark.retained.block > first.block ? mark.retained : first;
  return { retained, removedBefore: mark.removedBefore, kept: mark.kept ?? [] };
}

export const endPurge = (mark: OutboxMark): OutboxMark => ({ ...mark, removedBefore: mark.retained.block });

export const withKept = <M extends OutboxMark>(mark: M, sequences: readonly number[]): M => ({
  ...mark,
  kept: [...new Set([...(mark.kept ?? []), ...sequences])],
});

export const withoutKept = <M extends OutboxMark>(mark: M, sequence: number): M => ({
  ...mark,
  kept: (mark.kept ?? []).filter((each) => each !== sequence),
});
