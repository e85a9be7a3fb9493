import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver } from '../../activities/notifications/notification-scene.js';
import { declareAll, startTestReference, type TestReference } from '../reference/test-reference.js';

const SECRET = 'Bearer r-5f2c';
const MASK = '*****';
let api: TestReference;
beforeAll(async () => {
  api = await startTestReference({ policy: { networks: [], http: true, ports: 'any' } });
  await declareAll(api);
});
afterAll(() => api.stop());

async function create(more: object = {}) {
  const given = { name: 'a', url: 'https://hr.example/hook', types: ['dataset.positions.*'] };
  const body = { ...given, headers: { authorization: SECRET, 'x-team': 'hr' }, ...more };
  const reply = await api.call('POST', '/v2/subscriptions', { body });
  return { ...reply, path: `/v2/subscriptions/${reply.body.id}`, id: reply.body.id as string };
}
const patch = (path: string, body: object) => api.call('PATCH', path, { body, headers: { 'if-match': '*' } });
const storedHeaders = async (id: string) => (await api.subscriptions.get(id))?.spec.headers;
/** Probes the receiver. @returns the headers of the probe */
async function sent(path: string) {
  await api.call('POST', `${path}/probe`);
  return api.receiver.asked.at(-1)?.spec.headers;
}

test('values of headers reach the receiver, and no client, database or log', async () => {
  const { path, id, text, body } = await create();
  expect(body.headers).toEqual({ authorization: MASK, 'x-team': MASK });
  const shown = [text, (await api.call('GET', path)).text, (await api.call('GET', '/v2/subscriptions')).text];
  shown.push(JSON.stringify(await storedHeaders(id)), api.lines.join(''));
  for (const each of shown) expect(each).not.toContain('r-5f2c');
  expect(await sent(path)).toEqual({ authorization: SECRET, 'x-team': 'hr' });
});

test('a test event and the request of a delivery show masked values', async () => {
  const receiver = await openReceiver();
  const { path, id } = await create();
  await api.subscriptions.update(id, (each) => ({ ...each, spec: { ...each.spec, url: receiver.url } }));
  const { body } = await api.call('POST', `${path}/test`);
  expect(receiver.received[0]?.headers).toMatchObject({ authorization: SECRET, 'x-team': 'hr' });
  expect(body.request.headers).toMatchObject({ authorization: MASK, 'x-team': MASK, 'slipway-test': 'true' });
  await receiver.close();

  const at = new Date().toISOString();
  const event = {
    sequence: 1,
    id: 'ntc_1',
    eventId: 'evt_1',
    about: '1',
    body: '{}',
    type: 'dataset.positions.created',
  };
  await api.outbox.insert(id, { block: 1, from: 1, notices: [event], sources: {}, at, token: 't' });
  const attempt = { number: 1, episode: 0, owner: 'o', startedAt: at, deadline: at };
  await api.ledger.begin({ subscription: id, sequence: 1 }, attempt);
  const request = await api.call('GET', `${path}/deliveries/1/request`, { headers: { accept: 'message/http' } });
  expect(request.text).toContain(`authorization: ${MASK}\r\nx-team: ${MASK}\r\n`);
});

test('a change keeps what it sends masked, or does not name, at the same origin only', async () => {
  const { path } = await create();
  expect((await patch(path, { name: 'b' })).status).toBe(200);
  const changed = await patch(path, {
    url: 'https://hr.example/other',
    headers: { authorization: MASK, 'x-team': 'it', 'x-new': '1' },
  });
  expect(changed.body.headers).toEqual({ authorization: MASK, 'x-team': MASK, 'x-new': MASK });
  expect(await sent(path)).toEqual({ authorization: SECRET, 'x-team': 'it', 'x-new': '1' });

  for (const change of [{ url: 'https://evil.example/hook' }, { url: 'https://hr.example:8443/hook' }]) {
    const { status, body } = await patch(path, change);
    expect([status, body.code]).toEqual([422, 'entity.invalid']);
    expect(body.errors[0]).toMatchObject({ pointer: '/headers/authorization' });
    expect(body.errors[0].message).toBe('must be sent again because url has another origin');
  }
  const headers = { authorization: 'Bearer new', 'x-team': null, 'x-new': null };
  expect((await patch(path, { url: 'https://other.example/hook', headers })).status).toBe(200);
  expect(await sent(path)).toEqual({ authorization: 'Bearer new' });
});

test('a subscription that loses its url does not bring its headers to the next one', async () => {
  const { path } = await create();
  expect((await patch(path, { mode: 'pull', url: null })).status).toBe(200);
  const moved = await patch(path, { mode: 'push', url: 'https://evil.example/' });
  expect([moved.status, moved.body.errors[0].pointer]).toEqual([422, '/headers/authorization']);
});

test('the mask is no value of a new header', async () => {
  const made = await create({ headers: { authorization: MASK } });
  expect([made.status, made.body.errors[0].pointer]).toEqual([422, '/headers/authorization']);
  const { path } = await create();
  expect((await patch(path, { headers: { 'x-new': MASK } })).body.errors[0].pointer).toBe('/headers/x-new');
});

test('plain values of an earlier version are masked and sent, and sealed at the next write', async () => {
  const { path, id } = await create();
  const plain = { authorization: SECRET };
  await api.subscriptions.update(id, (each) => ({ ...each, spec: { ...each.spec, headers: plain } }));
  expect((await api.call('GET', path)).body.headers).toEqual({ authorization: MASK });
  expect((await api.call('POST', `${path}/pause`)).status).toBe(200);
  expect(JSON.stringify(await storedHeaders(id))).not.toContain('r-5f2c');
  expect(await sent(path)).toEqual(plain);
});
