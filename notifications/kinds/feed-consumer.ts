import type { Resource } from '../../platform/kinds/resource.js';

/** Numbers from one to another, both of them. */
export interface Span {
  from: number;
  to: number;
}
/** Events that were handed out and are not acknowledged yet. */
export interface PendingSpan extends Span {
  /** Until then no other reader gets them, RFC 3339; `null`: the next request gets them again. */
  until: string | null;
}

export interface ConsumerSpec {
  /** Whether an acknowledgement settles the push delivery too. */
  settles: boolean;
}
/** The position of a consumer: everything up to `handedOut` that is not in `pending` is acknowledged. */
export interface ConsumerPosition {
  handedOut: number;
  /** In order, without overlap. */
  pending: readonly PendingSpan[];
}
export type FeedConsumer = Resource<ConsumerSpec, ConsumerPosition>;

export const consumerId = (subscription: string, name: string): string => `${subscription}/${name}`;

/** @returns the newest sequence up to which everything is acknowledged */
export const acknowledgedThrough = ({ handedOut, pending: [first] }: ConsumerPosition): number =>
  (first?.from ?? handedOut + 1) - 1;

/** Limit of unacknowledged batches: readers that never acknowledge get no more. */
export const MOST_PENDING = 100;

export interface NextSpanOptions {
  /** Newest sequence in the outbox. */
  head: number;
  limit: number;
  /** RFC 3339. */
  now: string;
}

/**
 * Finds the next span for a reader: the oldest events that are neither handed out nor acknowledged.
 * @returns `undefined` when there is none now
 */
export function nextSpan(
  { handedOut, pending }: ConsumerPosition,
  { head, limit, now }: NextSpanOptions,
): Span | undefined {
  const free = pending.filter(({ until }) => until === null || until <= now);
  const isRoom = pending.length - free.length < MOST_PENDING;
  const spans: Span[] = [...free, ...(head > handedOut && isRoom ? [{ from: handedOut + 1, to: head }] : [])];
  const [first, ...others] = spans;
  if (first === undefined) return undefined;
  let { to } = first;
  for (const other of others) if (other.from === to + 1) to = other.to;
  return { from: first.from, to: Math.min(to, first.from + limit - 1) };
}

/** Marks a span as handed out. */
export function addPending(position: ConsumerPosition, span: Span, until: string | null): ConsumerPosition {
  const pending = inOrder([...without(position.pending, span), { ...span, until }]);
  return { handedOut: Math.max(position.handedOut, span.to), pending };
}

/** Marks a span as acknowledged. */
export const acknowledge = (position: ConsumerPosition, span: Span): ConsumerPosition => ({
  ...position,
  pending: without(position.pending, span),
});

/** @returns the parts of a span that are not acknowledged yet */
export const pendingIn = ({ pending }: ConsumerPosition, { from, to }: Span): Span[] =>
  pending
    .map((each) => ({ from: Math.max(from, each.from), to: Math.min(to, each.to) }))
    .filter((each) => each.from <= each.to);

function without(pending: readonly PendingSpan[], { from, to }: Span): PendingSpan[] {
  return pending.flatMap((each) =>
    [
      { ...each, to: Math.min(each.to, from - 1) },
      { ...each, from: Math.max(each.from, to + 1) },
    ].filter((rest) => rest.from <= rest.to),
  );
}

/** Merges adjacent spans with the same `until`. */
function inOrder(pending: readonly PendingSpan[]): PendingSpan[] {
  const merged: PendingSpan[] = [];
  for (const each of pending.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && last.to + 1 === each.from && last.until === each.until) last.to = each.to;
    else merged.push({ ...each });
  }
  return merged;
}
