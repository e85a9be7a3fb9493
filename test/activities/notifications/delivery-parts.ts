import type { OutboxBlock } from '../../../notifications/kinds/outbox-event.js';
import {
  type Subscription,
  SubscriptionSpec,
  type SubscriptionStatus,
} from '../../../notifications/kinds/subscription.js';

export const START = Date.parse('2026-01-01T00:00:00.000Z');
const AT = new Date(START).toISOString();

/** An active subscription that pushes; nothing listens at its url. */
export function newDeliverySubscription(settings: object = {}, status: Partial<SubscriptionStatus> = {}): Subscription {
  return {
    ...{ kind: 'Subscription', id: 'sub_1', uid: 'u', generation: 1, revision: 1 },
    ...{ createdAt: AT, updatedAt: AT, createdBy: 'ana', updatedBy: 'ana' },
    spec: SubscriptionSpec.parse({
      ...{ name: 'a', types: ['dataset.positions.*'], url: 'https://receiver.example/hook' },
      ...settings,
    }),
    status: {
      ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
      ...{ starts_at: {}, declarations: {} },
      ...status,
    },
  };
}

/** A block of an outbox with one event for each subject. */
export const outboxBlock = (block: number, from: number, subjects: readonly string[]): OutboxBlock => ({
  ...{ block, from, sources: {}, at: AT, token: `t${block}` },
  notices: subjects.map((subject, index) => ({
    sequence: from + index,
    id: `ntc_${from + index}`,
    eventId: `evt_${from + index}`,
    type: 'dataset.positions.created',
    about: `positions/${subject}`,
    body: JSON.stringify({ subject }),
  })),
});
