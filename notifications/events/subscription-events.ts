import { LEVELS, type Subscription, SUBSCRIPTION_STATES } from '../kinds/subscription.js';
import { integer, oneOf, text } from './data-fields.js';
import { type EmittedEvent, shortened } from './emitted-event.js';
import type { EventFamily } from './event-family.js';

export const SUBSCRIPTION_FAMILY: EventFamily = {
  name: 'ops.subscription',
  fields: {
    ...{ kind: text(true), id: text(true), version: integer(true), generation: integer(true), name: text(true) },
    state: oneOf(SUBSCRIPTION_STATES),
    level: oneOf(LEVELS),
    reason: text(),
    pending: integer(),
  },
  example: {
    source: '/v2/subscriptions/sub_7f3k',
    subject: 'subscription/sub_7f3k',
    data: {
      ...{ kind: 'Subscription', id: 'sub_7f3k', version: 9, generation: 1, name: 'hr-sync' },
      ...{ state: 'active', level: 'L1' },
    },
  },
  types: {
    failing: {
      description: 'So many attempts failed that the endpoint is left alone between single attempts.',
      data: { reason: 'status 503' },
    },
    recovered: { description: 'An endpoint that failed accepts events again.' },
    disabled: {
      description: 'Nothing more is sent until the subscription is resumed; its events are kept.',
      data: { state: 'disabled', reason: 'no attempt succeeded for five days' },
    },
    lowered: {
      description: 'Its receiver does less than it had shown before; the guarantee is that of the level that is left.',
      data: { level: 'L0', reason: 'POST of ntc_7f3k_42_q9xw: webhook-receipt: new, a second time' },
    },
    backlog: {
      description: 'It has 80 % of as many notices to send as are kept for one subscription.',
      data: { pending: 800_000 },
    },
  },
};

/** Returns the event of a write of a subscription. It goes to other subscriptions only: this one may not deliver. */
export function subscriptionEventOf(
  before: Subscription | undefined,
  after: Subscription | undefined,
): EmittedEvent | undefined {
  const change = before && after && after.status.state !== 'removed' ? changeOf(before, after) : undefined;
  if (change === undefined || after === undefined) return undefined;
  const { kind, id, generation, spec, status } = after;
  const { word, reason } = change;
  return {
    type: `ops.subscription.${word}`,
    source: `/v2/subscriptions/${id}`,
    subject: subscriptionSubject(id),
    data: {
      ...{ kind, id, generation, name: spec.name, state: status.state, level: status.level },
      reason: shortened(reason),
      pending: status.backlog?.pending,
    },
  };
}

const subscriptionSubject = (id: string): string => `subscription/${id}`;

/** Returns whether an event is about a subscription, which does not receive it itself. */
export const isAboutSubscription = (id: string, { type, subject }: { type: string; subject: string }): boolean =>
  type.startsWith('ops.subscription.') && subject === subscriptionSubject(id);

/** Returns the change of one write: each change is a write of its own. */
function changeOf(before: Subscription, after: Subscription): { word: string; reason?: string } | undefined {
  const [was, is] = [before.status, after.status];
  if (is.state === 'disabled' && was.state !== 'disabled') {
    return { word: 'disabled', ...(is.reason !== null && { reason: is.reason }) };
  }
  if (is.failing !== undefined && was.failing === undefined) return { word: 'failing', reason: is.failing.reason };
  if (is.failing === undefined && was.failing !== undefined) return { word: 'recovered' };
  // A new address has a level of its own: only a lower level of the same receiver is a change.
  if (is.level < was.level && before.generation === after.generation) return { word: 'lowered', ...whyLowered(after) };
  return is.backlog !== undefined && was.backlog === undefined ? { word: 'backlog' } : undefined;
}

function whyLowered({ status }: Subscription): { reason?: string } {
  const step = status.probe?.steps.find(({ ok }) => !ok);
  return step === undefined ? {} : { reason: `${step.sent}: ${step.received}` };
}
