import { parseDuration } from '../../platform/kinds/duration.js';
import type { SubscriptionSpec } from '../kinds/subscription.js';
import { type Delivery, type DeliveryRecord, isSettled } from './delivery.js';

/** A past or the next step of a delivery. */
export interface TimelineEntry {
  /** RFC 3339. */
  at: string;
  what: 'minted' | 'intent' | 'outcome' | 'late' | 'receipt' | 'settled' | 'reopened' | 'due';
  attempt?: number;
  [detail: string]: unknown;
}

/** Lists the recorded steps of a delivery in order of time; the next step comes last. */
export function timelineOf(record: DeliveryRecord, delivery: Delivery): TimelineEntry[] {
  const entries: TimelineEntry[] = [{ at: record.createdAt, what: 'minted' }];
  for (const { number: attempt, startedAt, deadline, end, late, receipts } of record.attempts) {
    entries.push({ at: startedAt, what: 'intent', attempt, deadline });
    for (const [what, known] of [['outcome', end] as const, ['late', late] as const]) {
      if (known === undefined) continue;
      const { at, outcome, status, latencyMs: latency_ms, error } = known;
      entries.push({ at, what, attempt, outcome, status, latency_ms, error });
    }
    for (const { at, answer } of receipts) entries.push({ at, what: 'receipt', attempt, answer });
  }
  for (const { at, state, by, actor } of record.settlements) entries.push({ at, what: 'settled', state, by, actor });
  for (const { at, actor } of record.reopenings) entries.push({ at, what: 'reopened', actor });
  entries.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  if ('next' in delivery) entries.push({ at: delivery.dueAt, what: 'due', next: delivery.next });
  return entries;
}

/** Checks whether a delivery blocked its lane for so long that the lane continues without it. */
export function isParked(record: DeliveryRecord, delivery: Delivery, spec: SubscriptionSpec, now: Date): boolean {
  const { mode, max_block } = spec.ordering;
  if (isSettled(delivery) || mode === 'none' || max_block === 'wait') return false;
  const episode = record.reopenings.at(-1)?.episode ?? 0;
  const first = record.attempts.find((attempt) => attempt.episode === episode);
  return first !== undefined && Date.parse(first.startedAt) + (parseDuration(max_block) ?? Infinity) <= now.getTime();
}
