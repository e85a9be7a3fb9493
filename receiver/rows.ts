export interface ReceiptRow {
  id: string;
  /** `running`: marked, and the effect has not ended yet. */
  state: 'running' | 'received' | 'refused';
  /** Attempts up to this time are refused, in seconds; 0 without a tombstone. */
  refuseUntil: number;
  /** In milliseconds, as all times of a row but `refuseUntil`. */
  changedAt: number;
  expiresAt: number;
}

/**
 * The operations of a database without transactions for `markFirst` and `effectFirst`: each call is one atomic step on one
 * row. Any store with a unique key and a conditional write can.
 */
export interface ReceiptRows {
  find(id: string): Promise<ReceiptRow | undefined>;
  /** @returns false when there is a row of this id */
  insert(row: ReceiptRow): Promise<boolean>;
  /** Puts `next` in place of `previous`, or takes it away. @returns false when another row is there by now */
  replace(previous: ReceiptRow, next: ReceiptRow | undefined): Promise<boolean>;
  /** Removes rows that expired before this time. */
  purge(now: number): Promise<void>;
}
