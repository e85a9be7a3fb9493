import { expect, test } from 'vitest';
import { createTestEvent } from '../../../activities/notifications/test-event.js';
import type { WebhookRequest } from '../../../activities/notifications/webhook-sender.js';
import { createHmacSecret, parseSigningKey, parseVerifyingKey } from '../../../notifications/delivery/signing-keys.js';
import { verifyWebhook } from '../../../notifications/delivery/verify.js';
import type { AttemptEnd } from '../../../notifications/kinds/attempt.js';
import type { OutboxEvent } from '../../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';

const AT = new Date('2026-01-02T00:00:05.900Z');
const SECRETS = [createHmacSecret(), createHmacSecret()];
const KEYS = SECRETS.map(parseSigningKey);
const EVENT = { id: 'ntc_1_0_x', body: '{"größe":"🍷"}' } as OutboxEvent;

async function send(headers: Record<string, string> = {}, end: Partial<AttemptEnd> = {}) {
  const sent: WebhookRequest[] = [];
  const testEvent = createTestEvent({
    sender: {
      send: async (request) => {
        sent.push(request);
        return { outcome: 'confirmed', at: AT.toISOString(), status: 204, ...end };
      },
    },
    headersOf: ({ spec }) => spec.headers,
    ...{ keysOf: () => KEYS, userAgent: 'Slipway/1', attemptMs: 3_000, now: () => AT },
  });
  const result = await testEvent({ spec: { headers } } as Subscription, EVENT, 'https://hook.example/in?x=1');
  const [request] = sent;
  if (request === undefined || sent.length > 1) throw new Error('one request is sent');
  return { result, request };
}

test('a test event is signed like any other, and marked as a test', async () => {
  const { request } = await send();
  expect(request).toMatchObject({
    ...{ method: 'POST', body: EVENT.body, fresh: true, deadline: new Date(AT.getTime() + 3_000) },
    headers: { 'slipway-test': 'true', 'slipway-attempt': '1', 'user-agent': 'Slipway/1' },
  });
  expect(request.url.href).toBe('https://hook.example/in?x=1');
  for (const key of SECRETS.map(parseVerifyingKey)) {
    const verified = verifyWebhook({ ...request, keys: [key], now: () => AT.getTime() });
    expect(verified).toMatchObject({ ok: true, id: EVENT.id });
  }
});

test('the result shows the headers that were sent, without a usable signature or credential', async () => {
  const { request, result } = await send({ 'x-tenant': 'blue' });
  const { 'webhook-signature': shown, ...others } = result.headers;
  const { 'webhook-signature': signed = '', ...sentOthers } = request.headers;
  expect(sentOthers).toMatchObject({ 'x-tenant': 'blue' });
  expect(others).toEqual({ ...sentOthers, 'x-tenant': '*****' });
  expect(shown).toBe('v1,... v1,...');
  for (const part of signed.split(' ')) expect(JSON.stringify(result)).not.toContain(part.slice(3));
});

test('headers of the subscription replace none that the service sets', async () => {
  const { request } = await send({ 'user-agent': 'mine', 'webhook-id': 'mine', 'slipway-test': 'false' });
  expect(request.headers).toMatchObject({
    ...{ 'user-agent': 'Slipway/1', 'webhook-id': EVENT.id, 'slipway-test': 'true' },
  });
});

test.each([[{ outcome: 'refused', status: 410 }], [{ outcome: 'ambiguous', error: 'reset' }]] as const)(
  'an end of %j is the result, not an error',
  async (end) => {
    expect((await send({}, end)).result.end).toMatchObject(end);
  },
);
