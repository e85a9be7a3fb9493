/** A request of a probe with the expected and the received response, as text. */
export interface ProbeStep {
  sent: string;
  expected: string;
  received: string;
  ok: boolean;
}

/** The proven abilities of a receiver. */
export interface ProbeReport {
  /** RFC 3339. */
  at: string;
  /** The first event was answered with 2xx; otherwise no further request was sent. */
  answered: boolean;
  level: 'L0' | 'L1' | 'L2';
  /** The questions that the receipt address answers about an ambiguous attempt. */
  receipts: 'none' | 'read' | 'tombstone';
  /** Requests per minute that it grants; absent without a limit. */
  allowed_per_minute?: number;
  /** In the order of asking. */
  steps: readonly ProbeStep[];
}
