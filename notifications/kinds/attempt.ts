/** What a sender can know of an attempt once it is over. */
export type Outcome =
  /** A complete status line of 2xx, even if the answer broke off later: settled. */
  | 'confirmed'
  /** No byte of the request left, so a repeat is safe. */
  | 'not_sent'
  /** A complete answer other than 2xx: not processed. */
  | 'refused'
  /** Bytes left and no status came back: it may have taken effect, or may yet. */
  | 'ambiguous';

/** Stored before the first byte of an attempt may leave; times are RFC 3339 UTC with milliseconds. */
export interface Intent {
  /** 1, 2, 3 ... per notice, never started again. */
  number: number;
  /** 0, and one more with each re-opening of the notice. */
  episode: number;
  /** Drawn by each sender: which one may record the outcome until `deadline`. */
  owner: string;
  startedAt: string;
  deadline: string;
}

/** How an attempt ended; at most one per attempt, and a late one of an attempt that was given up. */
export interface AttemptEnd {
  outcome: Outcome;
  at: string;
  /** Whether a byte may have left; absent when nobody saw the end. */
  bytesLeft?: boolean;
  status?: number;
  latencyMs?: number;
  /** The beginning of the answer. */
  answer?: string;
  /** What went wrong, in a few words. */
  error?: string;
  /** Before this the receiver does not want another one (`Retry-After`). */
  retryAt?: string;
  /** What the receiver said of the id (`webhook-receipt`). */
  receipt?: 'new' | 'duplicate' | 'refused';
  /** What the receiver asked for beyond its status. */
  command?: 'disable' | 'abort';
}

/** What the receiver's receipt address said of an attempt that ended ambiguous. */
export interface ReceiptCheck {
  at: string;
  /** `refused`: it will take no attempt up to this one any more; `absent`: it has not seen the notice. */
  answer: 'received' | 'refused' | 'absent' | 'unclear';
}

export interface Attempt extends Intent {
  end?: AttemptEnd;
  /** What the owner saw after others had given the attempt up. */
  late?: AttemptEnd;
  receipts: readonly ReceiptCheck[];
}

/** The end of an episode that no outcome implies. */
export interface Settlement {
  episode: number;
  state: 'delivered' | 'failed' | 'cancelled';
  by: 'feed' | 'operator' | 'exhausted' | 'aborted' | 'removed';
  at: string;
  actor?: string;
}

/** A settled notice that is to be sent again. */
export interface Reopening {
  /** That it begins: 1, 2, 3 ... */
  episode: number;
  at: string;
  actor: string;
  /** Number of the order that it was part of. */
  order?: number;
}
