/** One thing that was asked of a receiver, in words, and what it said. */
export interface ProbeStep {
  sent: string;
  expected: string;
  received: string;
  ok: boolean;
}

/** What a receiver has shown of itself. */
export interface ProbeReport {
  /** RFC 3339. */
  at: string;
  /** It took a first notice with 2xx; without that nothing else was asked. */
  answered: boolean;
  level: 'L0' | 'L1' | 'L2';
  /** What can be asked about an attempt that ended unclear. */
  receipts: 'none' | 'read' | 'tombstone';
  /** Requests a minute that it grants; absent where it sets no limit. */
  allowed_per_minute?: number;
  /** In the order of asking. */
  steps: readonly ProbeStep[];
}
