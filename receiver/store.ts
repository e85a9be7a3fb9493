/** A notice whose signature was verified. */
export interface Notice {
  /** `webhook-id`: the same however often it is sent. */
  id: string;
  /** `webhook-timestamp`, in seconds: it rises with each attempt. */
  timestamp: number;
  /** As it came. */
  body: Uint8Array;
}

/**
 * The promise of a store about the effect of one id:
 * - `transaction`: once; id and effect are committed together or not at all;
 * - `mark_first`: at most once; a crash during the effect leaves it undone or half done for good;
 * - `effect_first`: at least once; a crash after the effect, or two processes at a time, do it again.
 */
export type Guarantee = 'transaction' | 'mark_first' | 'effect_first';

/** `busy`: another process is applying the effect, and its result is not known yet. */
export type Taken = 'new' | 'duplicate' | 'refused' | 'busy';
export type Refused = 'received' | 'refused' | 'busy';
export type Known = 'received' | 'refused' | 'unknown' | 'busy';

/**
 * Which ids were received, and which must not be: one row of a unique key for both, so that the database decides which
 * of them came first.
 */
export interface ReceiptStore<Tx> {
  readonly guarantee: Guarantee;
  /**
   * Runs the effect unless the id was received before, or a tombstone refuses attempts of this time.
   * @param effect gets the transaction of which the id is part, where there is one
   * @throws what the effect threw; the id is then not stored
   */
  take(notice: Notice, effect: (tx: Tx) => Promise<void>): Promise<Taken>;
  /** Puts a tombstone: attempts of this time (seconds) and before are refused from now on, unless one was received. */
  refuse(id: string, until: number): Promise<Refused>;
  find(id: string): Promise<Known>;
  /** Removes ids that were kept long enough. */
  purge(): Promise<void>;
}

export interface Keeping {
  /** Longer than the sender may repeat a notice. */
  keepDays?: number;
  /** In milliseconds. */
  now?: () => number;
}

const DAY_MS = 86_400_000;
/** Notices are repeated for 30 days at most; the rest is for clocks and queues. */
export const KEEP_DAYS = 35;

export const expiryOf = (now: number, keepDays: number): number => now + keepDays * DAY_MS;
