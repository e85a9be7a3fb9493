import type { Subscription } from '../kinds/subscription.js';
import { shortened, type EmittedEvent } from './emitted-event.js';

/** What a write of a subscription tells others: never the subscription itself, which would hear of its own silence last. */
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

export const subscriptionSubject = (id: string): string => `subscription/${id}`;

/** Events about a subscription, which it is not told itself. */
export const isAboutSubscription = (id: string, { type, subject }: { type: string; subject: string }): boolean =>
  type.startsWith('ops.subscription.') && subject === subscriptionSubject(id);

/** One write makes one change: each of them is written by itself. */
function changeOf(before: Subscription, after: Subscription): { word: string; reason?: string } | undefined {
  const [was, is] = [before.status, after.status];
  if (is.state === 'disabled' && was.state !== 'disabled') {
    return { word: 'disabled', ...(is.reason !== null && { reason: is.reason }) };
  }
  if (is.failing !== undefined && was.failing === undefined) return { word: 'failing', reason: is.failing.reason };
  if (is.failing === undefined && was.failing !== undefined) return { word: 'recovered' };
  // Another receiver, as after a change of its address, has shown something of its own.
  if (is.level < was.level && before.generation === after.generation) return { word: 'lowered', ...whyLowered(after) };
  return is.backlog !== undefined && was.backlog === undefined ? { word: 'backlog' } : undefined;
}

function whyLowered({ status }: Subscription): { reason?: string } {
  const step = status.probe?.steps.find(({ ok }) => !ok);
  return step === undefined ? {} : { reason: `${step.sent}: ${step.received}` };
}
