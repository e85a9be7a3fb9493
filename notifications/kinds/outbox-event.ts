/** An event for one subscription; written once and never changed. */
export interface OutboxEvent {
  /** 1, 2, 3 ... per subscription, without gaps. */
  sequence: number;
  /** `ntc_<subscription>_<sequence>_<hash>`: the `webhook-id` of every attempt. */
  id: string;
  /** The same in all subscriptions. */
  eventId: string;
  /** Such as `dataset.positions.updated`. */
  type: string;
  /** Stream and subject, such as `positions/42`: events with the same value are delivered in order. */
  about: string;
  /** The exact bytes that are sent: a CloudEvent in structured mode. */
  body: string;
  /** A bug of the platform kept it from being filtered or written: its delivery begins as failed, its body has a link. */
  fault?: string;
}

/** A position in a stream: the next event is number `index` of the entry after `position`. */
export interface SourcePosition {
  position: number;
  /** Events of the next entry that are in the outbox already. */
  index: number;
  /** The position from which an import holds changes back; they become events when it releases them. */
  heldFrom?: number;
  /** Position of the declaration in force there, once one was read. */
  declaredAt?: number;
}
export type SourcePositions = Readonly<Record<string, SourcePosition>>;

/** Events that were written together. Inserting `<subscription>#<block>` is the commit: each number has one content. */
export interface OutboxBlock {
  /** 1, 2, 3 ... per subscription, without gaps. */
  block: number;
  /** Sequence of its first event. */
  from: number;
  notices: readonly OutboxEvent[];
  /** The position of each stream after this block. */
  sources: SourcePositions;
  /**
   * The subscription's generation at writing; absent in blocks of earlier versions. The first block of a generation is
   * empty: it marks the position from which that generation applies.
   */
  generation?: number;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** Random for each insert: a writer whose acknowledgement was lost recognizes its own block by it. */
  token: string;
}
export const lastOf = ({ from, notices }: OutboxBlock): number => from + notices.length - 1;
