import { z } from 'zod';
import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { readOptionalJson } from '../http/exact-json.js';
import type { FindEventType } from './event-types.js';
import { exampleEvent } from './example-event.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { typesOf } from './subscription-types.js';

/** Sends an event once, without a ledger entry. @returns the request and its end */
export type SendTest = (
  subscription: Subscription,
  event: OutboxEvent,
  url: string,
) => Promise<{ url: string; headers: Record<string, string>; end: AttemptEnd }>;

export interface SubscriptionTestOptions {
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  sendTest: SendTest;
  findType: FindEventType;
  baseUrl: string;
  now?: () => Date;
}

const LIMIT_BYTES = 4_096;
const Asked = z.strictObject(
  { type: z.string('must be the name of an event type').max(200).optional() },
  'must be an object',
);

/** `POST /v2/subscriptions/{id}/test`: sends the example of a type, signed like every event, and reports the response. */
export function createSubscriptionTest(options: SubscriptionTestOptions): ReferenceStep {
  const { load, sendTest, findType, baseUrl, now = () => new Date() } = options;
  return async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    const result = Asked.safeParse(await readOptionalJson(ctx, { limitBytes: LIMIT_BYTES }));
    if (!result.success) throw new SlipwayError('entity.invalid', z.prettifyError(result.error));
    const { spec, status } = subscription;
    if (spec.url === null) throw new SlipwayError('entity.invalid', 'the subscription has mode "pull" and no url');
    const [first = ''] = typesOf(spec, status.declarations);
    const { type = first } = result.data;
    const found = findType(ctx.state.client, type);
    if (found === undefined) throw new SlipwayError('type.unknown', `there is no event type "${type}"`);
    const event = exampleEvent(found, { baseUrl, subscription: subscription.id, at: now().toISOString() });
    const { url, headers, end } = await sendTest(subscription, event, spec.url);
    ctx.body = {
      type,
      notice_id: event.id,
      request: { url, headers, body: event.body },
      outcome: end.outcome,
      status: end.status,
      latency_ms: end.latencyMs,
      answer: end.answer,
      error: end.error,
    };
  };
}
