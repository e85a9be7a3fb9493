import { formatTimestamp, parseTimestamp } from '../../reference/rows/time.js';
import type { Outcome } from '../../notifications/kinds/attempt.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { Delivery } from '../../notifications/delivery/delivery.js';
import type { DeliveryDetail } from './delivery-view.js';
import { invalid } from '../http/parameters.js';

const STATES = ['pending', 'sending', 'checking', 'held', 'parked', 'delivered', 'failed', 'cancelled'] as const;
const OUTCOMES = ['confirmed', 'not_sent', 'refused', 'ambiguous'] as const satisfies readonly Outcome[];
export const FILTER_NAMES = ['state', 'type', 'subject', 'outcome', 'from', 'until'] as const;

/** A filter of deliveries. */
export interface DeliveryFilter {
  state: Delivery['state'] | 'parked' | undefined;
  /** Tests the event, which the outbox holds. */
  takes: (entry: OutboxEntry) => boolean;
  /** Tests the state, which follows from the ledger. */
  fulfils: (detail: DeliveryDetail) => boolean;
  /** Times of fan-out: `from` is included, `until` is not. */
  from: string | undefined;
  until: string | undefined;
}

/** @throws parameter.invalid */
export function readDeliveryFilter(query: Partial<Record<(typeof FILTER_NAMES)[number], string>>): DeliveryFilter {
  const state = query.state === undefined ? undefined : oneOf('state', query.state, STATES);
  const outcome = query.outcome === undefined ? undefined : oneOf('outcome', query.outcome, OUTCOMES);
  const from = query.from === undefined ? undefined : toTime('from', query.from);
  const until = query.until === undefined ? undefined : toTime('until', query.until);
  const { type, subject } = query;
  const isOfType = type === undefined ? () => true : namesType([type]);
  const isAbout = ({ about }: { about: string }) =>
    subject === undefined || about === subject || about.slice(about.indexOf('/') + 1) === subject;
  return {
    state,
    takes: ({ event, block }) =>
      isOfType(event.type) &&
      isAbout(event) &&
      (from === undefined || block.at >= from) &&
      (until === undefined || block.at < until),
    fulfils: ({ delivery, parked, facts }) =>
      (state === undefined || (state === 'parked' ? parked : delivery.state === state)) &&
      (outcome === undefined || facts.attempts.at(-1)?.end?.outcome === outcome),
    from,
    until,
  };
}

/** Builds a test for types by name; `a.b.*` names a family. */
function namesType(names: readonly string[]): (type: string) => boolean {
  return (type) => names.some((name) => (name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : name === type));
}

/** @returns RFC 3339 UTC with milliseconds. @throws parameter.invalid */
export function toTime(name: string, text: string): string {
  const ms = parseTimestamp(text);
  if (ms === undefined) throw invalid(name, 'takes a time such as 2026-01-31T00:00:00Z');
  return formatTimestamp(ms);
}

function oneOf<Value extends string>(name: string, text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw invalid(name, `takes one of: ${values.join(', ')}`);
  return found;
}

/**
 * Finds the first sequence in a range whose event was written at this time or later; `high` when there is none. Blocks are
 * written one after another, so their times ascend, up to the clock differences of the workers.
 */
export async function firstFrom(
  outbox: Outbox,
  subscription: string,
  time: string,
  range: { low: number; high: number },
): Promise<number> {
  let { low, high } = range;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await outbox.find(subscription, middle);
    if (found !== undefined && found.block.at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
