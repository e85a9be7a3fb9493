import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';
import type { WebhookSender } from './webhook-sender.js';

export interface TestEventDeps {
  sender: WebhookSender;
  keysOf: (subscription: Subscription) => readonly SigningKey[];
  userAgent: string;
  attemptMs?: number;
  now?: () => Date;
}

/** What was sent, and what came back. */
export interface SentTest {
  url: string;
  headers: Record<string, string>;
  end: AttemptEnd;
}

/** Sends a notice that is none of the subscription's: as every attempt is sent, and outside of its ledger. */
export function createTestEvent({
  sender,
  keysOf,
  userAgent,
  attemptMs = 20_000,
  now = () => new Date(),
}: TestEventDeps) {
  return async (subscription: Subscription, notice: OutboxEvent, address: string): Promise<SentTest> => {
    const at = now();
    const url = new URL(address);
    const timestamp = Math.floor(at.getTime() / 1_000);
    const headers = {
      ...subscription.spec.headers,
      'content-type': CONTENT_TYPE,
      'user-agent': userAgent,
      'slipway-attempt': '1',
      'slipway-test': 'true',
    };
    const signature = signWebhook({ id: notice.id, timestamp, body: notice.body, keys: keysOf(subscription) });
    const end = await sender.send({
      method: 'POST',
      url,
      headers: { ...headers, ...signature },
      body: notice.body,
      fresh: true,
      deadline: new Date(at.getTime() + attemptMs),
    });
    // Who reads the answer may not be who holds the secret: what was signed is shown, the signature is not.
    const shown = {
      ...headers,
      ...signature,
      'webhook-signature': signature['webhook-signature'].replace(/,\S+/g, ',...'),
    };
    return { url: url.href, headers: shown, end };
  };
}
