/** Limit from the intent to the end of an attempt, connecting included. */
export const ATTEMPT_MS = 20_000;

/** The result of an attempt, as far as the sender can know it. */
export type Outcome =
  /** A complete status line of 2xx, even if the answer broke off later: settled. */
  | 'confirmed'
  /** No byte of the request was sent, so a repeat is safe. */
  | 'not_sent'
  /** A complete response other than 2xx: not processed. */
  | 'refused'
  /** Bytes were sent and no status came back: the request may have taken effect, or may still do so. */
  | 'ambiguous';

/** Stored before the first byte of an attempt may leave; times are RFC 3339 UTC with milliseconds. */
export interface Intent {
  /** 1, 2, 3 ... per delivery, never reset. */
  number: number;
  /** 0, plus one for each reopening of the delivery. */
  episode: number;
  /** Random id of the sender that may record the outcome until `deadline`. */
  owner: string;
  startedAt: string;
  deadline: string;
}

/** The end of an attempt; at most one per attempt, and a late one of an attempt that was given up. */
export interface AttemptEnd {
  outcome: Outcome;
  at: string;
  /** Whether a byte may have been sent; absent when no process saw the end. */
  bytesLeft?: boolean;
  /** No connection to the host came about: it refused or did not answer, TLS failed, or the address is not allowed. */
  unreachable?: true;
  status?: number;
  latencyMs?: number;
  /** The beginning of the response body. */
  answer?: string;
  /** A short description of the failure. */
  error?: string;
  /** The receiver asked for no attempt before this time (`Retry-After`). */
  retryAt?: string;
  /** The receiver's `webhook-receipt` header for the id. */
  receipt?: 'new' | 'duplicate' | 'refused';
  /** A request of the receiver beyond its status. */
  command?: 'disable' | 'abort';
  /** Set when the breaker of the endpoint was open at this end, or opened with it: it does not use up the schedule. */
  duringOutage?: true;
  /** Set with `duringOutage` when the attempt began before the breaker opened: it was no probe. */
  beganBefore?: true;
}

/** The failure of an attempt in short, without the response body. */
export interface AttemptFailure {
  /** RFC 3339. */
  at: string;
  reason: string;
}

/** The response of the receipt address about an attempt that ended ambiguous. */
export interface ReceiptCheck {
  at: string;
  /** `refused`: the receiver takes no attempt up to this one any more; `absent`: it has not received the id. */
  answer: 'received' | 'refused' | 'absent' | 'unclear';
}

export interface Attempt extends Intent {
  end?: AttemptEnd;
  /** The end that the owner saw after another sender had given the attempt up. */
  late?: AttemptEnd;
  receipts: readonly ReceiptCheck[];
}

/** The end of an episode that no outcome implies. */
export interface Settlement {
  episode: number;
  state: 'delivered' | 'failed' | 'cancelled';
  by: 'feed' | 'operator' | 'exhausted' | 'aborted' | 'fault' | 'removed';
  at: string;
  actor?: string;
}

/** A decision to send a settled delivery again. */
export interface Reopening {
  /** The episode that it begins: 1, 2, 3 ... */
  episode: number;
  at: string;
  actor: string;
  /** Number of the recovery that it belongs to. */
  order?: number;
}
