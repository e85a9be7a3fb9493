import { ATTEMPT_MS, type AttemptEnd } from '../../notifications/kinds/attempt.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import { type HeadersOf, maskHeaders } from '../../notifications/delivery/sealed-headers.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';
import type { WebhookSender } from './webhook-sender.js';

export interface TestEventDeps {
  sender: WebhookSender;
  keysOf: (subscription: Subscription) => readonly SigningKey[];
  headersOf: HeadersOf;
  userAgent: string;
  attemptMs?: number;
  now?: () => Date;
}

/** A test request and how it ended. */
export interface TestEventResult {
  url: string;
  headers: Record<string, string>;
  end: AttemptEnd;
}

/** Sends an event that is not in the outbox, in the same way as an attempt but without the ledger. */
export function createTestEvent({
  sender,
  keysOf,
  headersOf,
  userAgent,
  attemptMs = ATTEMPT_MS,
  now = () => new Date(),
}: TestEventDeps) {
  return async (subscription: Subscription, event: OutboxEvent, address: string): Promise<TestEventResult> => {
    const at = now();
    const url = new URL(address);
    const timestamp = Math.floor(at.getTime() / 1_000);
    const ownHeaders = {
      'content-type': CONTENT_TYPE,
      'user-agent': userAgent,
      'slipway-attempt': '1',
      'slipway-test': 'true',
    };
    const signature = signWebhook({ id: event.id, timestamp, body: event.body, keys: keysOf(subscription) });
    const end = await sender.send({
      method: 'POST',
      url,
      headers: { ...headersOf(subscription), ...ownHeaders, ...signature },
      body: event.body,
      fresh: true,
      deadline: new Date(at.getTime() + attemptMs),
    });
    // The caller may not know the secrets, so the signature and the headers of the subscription are masked.
    const maskedHeaders = {
      ...maskHeaders(subscription.spec.headers),
      ...ownHeaders,
      ...signature,
      'webhook-signature': signature['webhook-signature'].replace(/,\S+/g, ',...'),
    };
    return { url: url.href, headers: maskedHeaders, end };
  };
}
