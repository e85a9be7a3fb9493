import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger, DeliveryFacts } from '../../notifications/stores/attempts.js';
import type { OutboxEntry } from '../../notifications/stores/outbox.js';
import {
  type Delivery,
  deliveryPolicyOf,
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

export type ReadDeliveryDetail = (subscription: Subscription, minted: OutboxEntry) => Promise<DeliveryDetail>;

export function createReadDeliveryDetail({
  ledger,
  now,
}: {
  ledger: AttemptLedger;
  now: () => Date;
}): ReadDeliveryDetail {
  return async (subscription, minted) => {
    const { event: notice, block } = minted;
    const facts = await ledger.read({ subscription: subscription.id, sequence: notice.sequence });
    const record = { noticeId: notice.id, mintedAt: block.at, ...facts };
    const delivery = foldDelivery(record, deliveryPolicyOf(subscription));
    return { ...minted, facts, record, delivery, parked: isParked(record, delivery, subscription.spec, now()) };
  };
}

/** A delivery as clients see it. */
export function toDelivery({ spec }: Subscription, { event: notice, block, facts, delivery, parked }: DeliveryDetail) {
  const isPushed = spec.mode === 'push';
  return {
    sequence: String(notice.sequence),
    notice_id: notice.id,
    event_id: notice.eventId,
    type: notice.type,
    about: notice.about,
    minted_at: block.at,
    state: delivery.state,
    ...('by' in delivery && { by: delivery.by }),
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
export function writeDeliveryDetail(subscription: Subscription, standing: DeliveryDetail): string {
  const { event: notice, record, delivery } = standing;
  const entries = timelineOf(record, delivery);
  const timeline = subscription.spec.mode === 'push' ? entries : entries.filter(({ what }) => what !== 'due');
  const members = JSON.stringify({ ...toDelivery(subscription, standing), timeline });
  return `${members.slice(0, -1)},"event":${notice.body}}`; // a parser would round integers above 2^53
}
