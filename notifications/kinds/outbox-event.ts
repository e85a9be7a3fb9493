/** One event as one subscription tells it; made once, and the same for ever. */
export interface OutboxEvent {
  /** 1, 2, 3 ... per subscription, without a hole. */
  sequence: number;
  /** `ntc_<subscription>_<sequence>_<hash>`: the `webhook-id` of every attempt. */
  id: string;
  /** The same in all subscriptions. */
  eventId: string;
  /** Such as `dataset.positions.updated`. */
  type: string;
  /** Stream and subject, such as `positions/42`: notices with the same one are told in their order. */
  about: string;
  /** The exact bytes that are sent: a CloudEvent in structured mode. */
  body: string;
}

/** How far a stream was read: what comes next is the event behind `index` of the entry behind `position`. */
export interface SourcePosition {
  position: number;
  /** Events of the next entry that are minted already. */
  index: number;
  /** Since when an import is known to hold changes back, while it does: they become events when it releases them. */
  heldFrom?: number;
  /** Position of the declaration that is in force there, once one was read. */
  declaredAt?: number;
}
export type SourcePositions = Readonly<Record<string, SourcePosition>>;

/** Notices that were minted together. Inserting `<subscription>#<block>` is the commit: there is one content per number. */
export interface OutboxBlock {
  /** 1, 2, 3 ... per subscription, without a hole. */
  block: number;
  /** Sequence of its first notice. */
  from: number;
  notices: readonly OutboxEvent[];
  /** How far each stream is read behind it. */
  sources: SourcePositions;
  /**
   * Of the subscription, by which it was made; absent in blocks of earlier versions. The first block of a generation holds no
   * notices: it says from where on that generation counts.
   */
  generation?: number;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** Drawn for each insert: tells a minter whose acknowledgement was lost that the block is its own. */
  token: string;
}
export const lastOf = ({ from, notices }: OutboxBlock): number => from + notices.length - 1;
