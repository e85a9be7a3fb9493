import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Behavior, openReceiver } from '../../activities/notifications/notification-scene.js';
import { declareAll, startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference({
    policy: { networks: [], http: true, ports: 'any' },
    changes: { baseUrl: 'https://slipway.example' },
  });
  await declareAll(api);
});
afterAll(() => api.stop());
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function subscribe(behave?: Behavior, more: object = {}) {
  const receiver = await openReceiver(behave);
  closing.push(receiver.close);
  const types = ['dataset.positions.*', 'pipeline.run.waiting'];
  const given = { name: 'a', url: 'https://hr.example/hook', types, headers: { 'x-team': 'hr' }, ...more };
  const { body } = await api.call('POST', '/v2/subscriptions', { body: given });
  // The address of the receiver would be refused at the door; what is tested here is what leaves.
  await api.subscriptions.update(body.id, (each) => ({ ...each, spec: { ...each.spec, url: receiver.url } }));
  return { ...receiver, id: body.id as string, secret: body.secret as string };
}
const send = (id: string, body?: object, call: object = {}) =>
  api.call('POST', `/v2/subscriptions/${id}/test`, { ...(body && { body }), ...call });

test('the example of a type arrives as every notice does, and nothing of it stays', async () => {
  const { id, secret, received, url } = await subscribe((_, response) => void response.writeHead(202).end('thanks'));
  const { status, body } = await send(id);
  expect([status, body]).toMatchObject([
    200,
    { type: 'dataset.positions.created', outcome: 'confirmed', status: 202, answer: 'thanks', request: { url } },
  ]);
  const [got] = received;
  expect(got?.id).toBe(body.notice_id);
  expect(got?.body).toBe(body.request.body);
  expect(got?.headers).toMatchObject({ 'slipway-test': 'true', 'slipway-attempt': '1', 'x-team': 'hr' });
  const event = new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
  expect(event).toMatchObject({ type: 'dataset.positions.created', subscriptionid: id });
  expect(body.request.headers['webhook-signature']).toBe('v1,...');
  expect((await api.call('GET', `/v2/subscriptions/${id}/deliveries`)).body.items).toEqual([]);
});

test('any type of the catalogue can be sent; the answer of the receiver is shown, also a failure', async () => {
  const refusing = await subscribe((_, response) => void response.writeHead(500).end());
  const refused = await send(refusing.id, { type: 'pipeline.run.waiting' });
  expect(refused.body).toMatchObject({ type: 'pipeline.run.waiting', outcome: 'refused', status: 500 });
  const silent = await subscribe((_, response) => void response.destroy());
  expect((await send(silent.id)).body).toMatchObject({ outcome: 'ambiguous', error: expect.any(String) });
  await silent.close();
  closing.pop();
  expect((await send(silent.id)).body).toMatchObject({ outcome: 'not_sent' });
});

test('a type that is none, one that may not be read, and a subscription without address are refused', async () => {
  const { id } = await subscribe();
  expect((await send(id, { type: 'pipeline.run.eaten' })).body.code).toBe('type.unknown');
  expect((await send(id, { type: 7 })).body.code).toBe('entity.invalid');
  const as = ['subscriptions:write', 'data:read:positions', 'pipelines:read'];
  expect((await send(id, { type: 'dataset.skills.created' }, { as })).body).toMatchObject({
    scope: 'data:read:skills',
  });
  expect((await send(id, {}, { as: ['subscriptions:read'] })).status).toBe(403);
  const pulled = await api.call('POST', '/v2/subscriptions', {
    body: { name: 'a', mode: 'pull', types: ['pipeline.run.*'] },
  });
  expect((await send(pulled.body.id)).body.code).toBe('entity.invalid');
});

test('public keys that sign now can be read by anybody, and verify what was sent', async () => {
  const { id, received } = await subscribe();
  const added = await api.call('POST', `/v2/subscriptions/${id}/secrets`, { body: { kind: 'ed25519' } });
  const { kid } = added.body.keys[0];
  await send(id);
  const { status, headers, text } = await api.call('GET', '/.well-known/webhook-keys', { as: null });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/jwk-set+json']);
  const key = JSON.parse(text).keys.find((each: { kid: string }) => each.kid === kid);
  expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  const [got] = received;
  const content = `${got?.id}.${got?.timestamp}.${got?.body}`;
  const [, signature = ''] = /v1a,(\S+)/.exec(String(got?.headers['webhook-signature'])) ?? [];
  const publicKey = createPublicKey({ key, format: 'jwk' });
  expect(verify(null, Buffer.from(content), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
});
