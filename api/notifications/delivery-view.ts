import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger, DeliveryFacts } from '../../notifications/stores/attempts.js';
import type { OutboxEntry } from '../../notifications/stores/outbox.js';
import {
  type Delivery,
  deliveryPolicyOf,
  deliveryRecordOf,
  type DeliveryRecord,
  foldDelivery,
} from '../../notifications/delivery/delivery.js';
import { isParked, timelineOf } from '../../notifications/delivery/timeline.js';

/** A notice and what the ledger says became of it. */
export interface DeliveryDetail extends OutboxEntry {
  facts: DeliveryFacts;
  record: DeliveryRecord;
  delivery: Delivery;
  parked: boolean;
}

export type ReadDeliveryDetail = (subscription: Subscription, entry: OutboxEntry) => Promise<DeliveryDetail>;

export function createReadDeliveryDetail({
  ledger,
  now,
}: {
  ledger: AttemptLedger;
  now: () => Date;
}): ReadDeliveryDetail {
  return async (subscription, entry) => {
    const { event, block } = entry;
    const facts = await ledger.read({ subscription: subscription.id, sequence: event.sequence });
    const record = deliveryRecordOf({ event, block }, facts);
    const delivery = foldDelivery(record, deliveryPolicyOf(subscription));
    return { ...entry, facts, record, delivery, parked: isParked(record, delivery, subscription.spec, now()) };
  };
}

/** A delivery as clients see it. */
export function toDelivery({ spec }: Subscription, { event, block, facts, delivery, parked }: DeliveryDetail) {
  const isPushed = spec.mode === 'push';
  return {
    sequence: String(event.sequence),
    notice_id: event.id,
    event_id: event.eventId,
    type: event.type,
    about: event.about,
    minted_at: block.at,
    state: delivery.state,
    ...('by' in delivery && { by: delivery.by }),
    ...(event.fault !== undefined && { fault: event.fault }),
    ...(isPushed && 'next' in delivery && { next: delivery.next, due_at: delivery.dueAt }),
    ...(parked && { parked }),
    attempts: facts.attempts.map(({ number, startedAt, deadline, end, late, receipts }) => ({
      number,
      started_at: startedAt,
      deadline,
      ...(end && {
        ended_at: end.at,
        outcome: end.outcome,
        status: end.status,
        latency_ms: end.latencyMs,
        error: end.error,
      }),
      ...(late && { late: { at: late.at, outcome: late.outcome, status: late.status } }),
      ...(receipts.length > 0 && { receipts }),
    })),
  };
}

/** With its event, as the text that is sent, and everything that happened to it; as JSON text. */
export function writeDeliveryDetail(subscription: Subscription, detail: DeliveryDetail): string {
  const { event, record, delivery } = detail;
  const entries = timelineOf(record, delivery);
  const timeline = subscription.spec.mode === 'push' ? entries : entries.filter(({ what }) => what !== 'due');
  const members = JSON.stringify({ ...toDelivery(subscription, detail), timeline });
  return `${members.slice(0, -1)},"event":${event.body}}`; // a parser would round integers above 2^53
}
