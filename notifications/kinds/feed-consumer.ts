import type { Resource } from '../../platform/kinds/resource.js';

/** Numbers from one to another, both of them. */
export interface Span {
  from: number;
  to: number;
}
/** What was handed out and is not acknowledged yet. */
export interface PendingSpan extends Span {
  /** Until when nobody else gets it, RFC 3339; `null`: whoever asks next gets it again. */
  until: string | null;
}

export interface ConsumerSpec {
  /** Whether an acknowledgement settles the push delivery too. */
  settles: boolean;
}
/** Where the readers of one name are: everything up to `handedOut` that is not in `pending` is acknowledged. */
export interface ConsumerPosition {
  handedOut: number;
  /** In order, without overlap. */
  pending: readonly PendingSpan[];
}
export type FeedConsumer = Resource<ConsumerSpec, ConsumerPosition>;

export const consumerId = (subscription: string, name: string): string => `${subscription}/${name}`;

/** Everything up to it is acknowledged. */
export const acknowledgedThrough = ({ handedOut, pending: [first] }: ConsumerPosition): number =>
  (first?.from ?? handedOut + 1) - 1;

/** Batches that may be out at once: readers that never acknowledge get no more. */
export const MOST_PENDING = 100;

export interface NextSpanOptions {
  /** Newest number that there is. */
  head: number;
  limit: number;
  /** RFC 3339. */
  now: string;
}

/**
 * What a reader gets next: the oldest that nobody has and nobody acknowledged, and what follows it.
 * @returns `undefined` when there is nothing for it now
 */
export function nextSpan({ handedOut, pending }: ConsumerPosition, { head, limit, now }: NextSpanOptions): Span | undefined {
  const free = pending.filter(({ until }) => until === null || until <= now);
  const isRoom = pending.length - free.length < MOST_PENDING;
  const spans: Span[] = [...free, ...(head > handedOut && isRoom ? [{ from: handedOut + 1, to: head }] : [])];
  const [first, ...others] = spans;
  if (first === undefined) return undefined;
  let { to } = first;
  for (const other of others) if (other.from === to + 1) to = other.to;
  return { from: first.from, to: Math.min(to, first.from + limit - 1) };
}

/** The place after a span of it was handed out. */
export function addPending(place: ConsumerPosition, span: Span, until: string | null): ConsumerPosition {
  const pending = inOrder([...without(place.pending, span), { ...span, until }]);
  return { handedOut: Math.max(place.handedOut, span.to), pending };
}

/** The place after these numbers were acknowledged. */
export const acknowledge = (place: ConsumerPosition, span: Span): ConsumerPosition => ({
  ...place,
  pending: without(place.pending, span),
});

/** What of a span is not acknowledged yet. */
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

/** Neighbors that are out until the same time are one. */
function inOrder(pending: readonly PendingSpan[]): PendingSpan[] {
  const merged: PendingSpan[] = [];
  for (const each of pending.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && last.to + 1 === each.from && last.until === each.until) last.to = each.to;
    else merged.push({ ...each });
  }
  return merged;
}
