import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { DeliveryRecord } from '../delivery/delivery.js';
import type { OutboxEvent } from '../kinds/outbox-event.js';
import { integer, oneOf, text } from './data-fields.js';
import { shortened } from './emitted-event.js';
import type { EventFamily } from './event-family.js';

const REASONS = ['exhausted', 'aborted', 'fault'] as const;

/** The events of deliveries. */
export const DELIVERY_FAMILY: EventFamily = {
  name: 'ops.delivery',
  fields: {
    ...{ kind: text(true), id: text(true), version: integer(true), subscription: text(true), sequence: integer(true) },
    ...{ event_id: text(true), event_type: text(true), by: oneOf(REASONS, true), attempts: integer(true) },
    status: integer(),
    reason: text(),
  },
  example: {
    source: '/v2/subscriptions/sub_7f3k/deliveries/42',
    subject: 'delivery/ntc_7f3k_42_q9xw',
    data: {
      ...{ kind: 'Delivery', id: 'ntc_7f3k_42_q9xw', version: 1, subscription: 'sub_7f3k', sequence: 42 },
      ...{ event_id: 'evt_5kq2', event_type: 'dataset.positions.updated', by: 'exhausted', attempts: 10 },
      ...{ status: 500, reason: 'status 500' },
    },
  },
  types: {
    failed: {
      description:
        'A delivery is not attempted again until an operator resends it. Deliveries of this type emit no such event.',
    },
  },
};

const FAILED = 'ops.delivery.failed';

export interface FailedDelivery {
  subscription: string;
  event: Pick<OutboxEvent, 'sequence' | 'id' | 'eventId' | 'type'>;
  record: DeliveryRecord;
  by: string;
  /** The episode that ended; 0 until the delivery is reopened. */
  episode: number;
}

/**
 * Returns the event of a delivery that failed for good. It follows from the ledger alone, so every process that meets the
 * failure returns the same event. @returns undefined for a delivery of this type: its failure must not cause another one
 */
export function deliveryFailed({
  subscription,
  event,
  record,
  by,
  episode,
}: FailedDelivery): PlatformEvent | undefined {
  if (event.type === FAILED) return undefined;
  const { sequence, id, eventId: event_id, type: event_type } = event;
  const attempts = record.attempts.filter((each) => each.episode === episode);
  const last = attempts.at(-1);
  const end = last?.late ?? last?.end;
  const reason = end?.error ?? (end?.status === undefined ? record.fault : `status ${end.status}`);
  return {
    key: `ops/delivery/${subscription}/${sequence}/${episode}`,
    type: FAILED,
    source: `/v2/subscriptions/${subscription}/deliveries/${sequence}`,
    subject: `delivery/${id}`,
    version: episode + 1,
    at: end?.at ?? record.createdAt,
    data: JSON.stringify({
      ...{ kind: 'Delivery', id, version: episode + 1, subscription, sequence, event_id, event_type },
      ...{ by, attempts: attempts.length, status: end?.status, reason: shortened(reason) },
    }),
  };
}
