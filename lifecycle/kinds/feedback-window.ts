/** Which calls and which feedback a training gets. All times are milliseconds since 1970. */
export interface FeedbackWindow {
  /** Calls that were answered from here on ... */
  from: number;
  /** ... and before this. */
  to: number;
  /** Feedback counts up to here: when the window was resolved. */
  asOf: number;
  /** Feedback counts if it came so long after its call, at most. */
  withinMs: number;
}

/** Counts of the records of a window; each request id counts once. */
export interface FeedbackCounts {
  /** Calls with feedback: the rows. */
  joined: number;
  /** Feedback that was sent in the window and names no answered call of it. */
  orphaned: number;
  /** Answered calls without feedback. */
  unanswered: number;
  /** Feedback that came too long after its call. */
  late: number;
  /** Feedback that later feedback on the same call replaces, or that is stored twice. */
  replaced: number;
  /** Lines that are no such record, and calls whose bodies were cut or are not the JSON that they say. */
  dropped: number;
}
