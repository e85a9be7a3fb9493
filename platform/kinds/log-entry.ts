/** The part that entries of every log share. */
export interface LogEntryBase {
  /** 1, 2, 3 ... per stream, without a gap. */
  position: number;
  /** RFC 3339 UTC with milliseconds; never decreases along positions. */
  at: string;
  /** Random, one per append: a writer whose acknowledgement was lost recognises its own entry by it. */
  token: string;
}

/** An entry that records only that nothing happened: no earlier entry is missing. */
export type HeartbeatEntry = LogEntryBase & { kind: 'heartbeat' };

export const entryId = (stream: string, position: number): string => `${stream}#${position}`;
