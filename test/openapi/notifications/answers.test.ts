import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver } from '../../activities/notifications/notification-scene.js';
import { declareAll, startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { type Contract, openContract } from '../reference/contract.js';

let api: TestReference;
let contract: Contract;
const answers: Contract['answers'] = (...given) => contract.answers(...given);
beforeAll(async () => {
  api = await startTestReference({ policy: { networks: [], http: true, ports: 'any' } });
  await declareAll(api);
  contract = openContract(api, { sequence: '1', name: 'reader' });
});
afterAll(() => api.stop());

const ANY = { 'if-match': '*' };
const STALE = { 'if-match': '"99"' };
const ABSENT = { id: 'absent' };
const XML = { raw: '<a/>', headers: { 'content-type': 'application/xml', ...ANY } };
const HUGE = { raw: `{"name":"${'x'.repeat(5 * 2 ** 20)}"}`, headers: { 'content-type': 'application/json', ...ANY } };
const WANTED = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };

/** Creates a subscription, and makes it the one of the operations that follow. */
async function subscribe(more: object = {}): Promise<string> {
  const { body } = await answers(201, 'create_subscription', { body: { ...WANTED, ...more } });
  contract.places.id = body.id;
  return body.id;
}
/** Writes rows and fans them out to the present subscription. */
async function write(...ids: string[]): Promise<void> {
  for (const id of ids) await api.call('PUT', `/v2/skills/${id}`, { body: { name: `n${Math.random()}` } });
  await answers(200, 'read_feed');
}

test('a subscription is created, shown, changed, paused and removed', async () => {
  const key = { 'idempotency-key': 'k' };
  const first = await answers(201, 'create_subscription', { body: WANTED, headers: key });
  const again = await answers(201, 'create_subscription', { body: WANTED, headers: key });
  expect(again.body.id).toBe(first.body.id);
  await answers(422, 'create_subscription', { body: { ...WANTED, name: 'b' }, headers: key });
  contract.places.id = first.body.id;
  const { body, headers } = await answers(200, 'read_subscription');
  expect(body.secret).toBeUndefined();
  await answers(200, 'list_subscriptions');
  await answers(200, 'change_subscription', {
    body: { name: 'c' },
    headers: { 'if-match': headers.get('etag') ?? '' },
  });
  await answers(200, 'pause_subscription');
  await answers(200, 'resume_subscription', { headers: ANY });
  for (const id of ['change', 'delete', 'pause', 'resume', 'probe']) {
    await answers(412, `${id}_subscription`, { ...(id === 'change' && { body: {} }), headers: STALE });
  }
  await answers(204, 'delete_subscription');
  for (const id of ['read', 'delete', 'pause', 'resume', 'probe']) await answers(404, `${id}_subscription`);
});

test.each(['create_subscription', 'change_subscription', 'test_subscription', 'explain_subscription', 'add_secret'])(
  '%s refuses a body of another type, and one that is too large',
  async (id) => {
    await subscribe();
    await answers(415, id, XML);
    await answers(413, id, HUGE);
  },
);

test('addresses that may not be called, and types that do not exist, are refused as documented', async () => {
  for (const url of [
    'https://x.internal/',
    'https://10.0.0.7/',
    'https://[::1]/',
    'ftp://hr.example/',
    'javascript:1',
  ]) {
    await answers(422, 'create_subscription', { body: { ...WANTED, url } });
  }
  await answers(422, 'create_subscription', { body: { ...WANTED, url: '' } });
  for (const url of ['https://hr.example:99999/', '//hr.example', 'https://']) {
    await answers(400, 'create_subscription', { body: { ...WANTED, url } });
  }
  await answers(400, 'create_subscription', { body: { ...WANTED, types: ['dataset.skills.exploded'] } });
  await answers(404, 'explain_subscription', { at: ABSENT, body: { dataset: 'skills', entity_id: '5' } });
});

test('the keys of a subscription are added and removed, and the last one stays', async () => {
  const id = await subscribe();
  const { body } = await answers(201, 'add_secret', { body: { kind: 'ed25519' } });
  expect(body.secret).toMatch(/^whpk_|^whsk_|^wh/);
  expect((await answers(200, 'read_webhook_keys')).body.keys).toHaveLength(1);
  const { body: shown } = await answers(200, 'read_subscription');
  const [first, ...others] = shown.keys.map(({ kid }: { kid: string }) => kid);
  for (const kid of others) await answers(204, 'remove_secret', { at: { kid } });
  await answers(409, 'remove_secret', { at: { kid: first } });
  await answers(404, 'remove_secret', { at: { id, kid: 'k_none' } });
  await answers(412, 'add_secret', { body: {}, headers: STALE });
});

test('a receiver is probed and gets a test event', async () => {
  const receiver = await openReceiver((_, response) => void response.writeHead(202).end('thanks'));
  const id = await subscribe();
  await api.subscriptions.update(id, (each) => ({ ...each, spec: { ...each.spec, url: receiver.url } }));
  await answers(200, 'probe_subscription');
  const { body } = await answers(200, 'test_subscription', { body: {} });
  expect(body).toMatchObject({ outcome: 'confirmed', status: 202, answer: 'thanks' });
  await receiver.close();
  expect((await answers(200, 'test_subscription', { body: {} })).body.outcome).toBe('not_sent');
  await answers(404, 'test_subscription', { at: ABSENT, body: {} });
});

test('a delivery is listed, shown, sent again, confirmed and canceled', async () => {
  const id = await subscribe({ on_ambiguous: 'hold' });
  await write('1', '2', '3', '4', '5');
  const at = new Date().toISOString();
  const end = async (sequence: number, outcome: 'ambiguous' | 'confirmed') => {
    const key = { subscription: id, sequence };
    await api.ledger.begin(key, { number: 1, episode: 0, owner: 'o', startedAt: at, deadline: at });
    await api.ledger.end(key, 1, { outcome, at, latencyMs: 7, ...(outcome === 'confirmed' && { status: 200 }) });
  };
  await end(1, 'ambiguous');
  await end(2, 'confirmed');
  for (const sequence of [4, 5]) {
    await api.ledger.settle({ subscription: id, sequence }, { episode: 0, state: 'failed', by: 'exhausted', at });
  }
  const failed = await answers(200, 'list_failed_deliveries', { query: { page_size: '1' } });
  expect(failed.body.items).toMatchObject([{ subscription: id, sequence: '5', state: 'failed' }]);
  await answers(200, 'list_failed_deliveries', { query: { page_size: '1', page_token: failed.body.next_page_token } });
  const { body } = await answers(200, 'list_deliveries', { query: { page_size: '1' } });
  await answers(200, 'list_deliveries', { query: { page_size: '1', page_token: body.next_page_token } });
  await answers(200, 'list_deliveries', { headers: { accept: 'application/x-ndjson' } });
  expect((await answers(200, 'read_delivery')).body).toMatchObject({ state: 'held', attempts: [{ latency_ms: 7 }] });
  await answers(200, 'read_delivery_request');
  await answers(200, 'read_delivery_request', { headers: { accept: 'message/http' } });
  await answers(202, 'confirm_delivery');
  await answers(409, 'confirm_delivery', { at: { sequence: '2' } });
  await answers(202, 'resend_delivery', { at: { sequence: '2' } });
  await answers(202, 'cancel_delivery', { at: { sequence: '3' } });
  for (const word of ['read', 'resend', 'confirm', 'cancel']) {
    await answers(404, `${word}_delivery`, { at: { sequence: '99' } });
  }
  await answers(404, 'read_delivery_request', { at: { sequence: '99' } });
});

test('whether an entity or an entry matches is explained', async () => {
  await subscribe({ filter: 'level > 3' });
  await write('9');
  const entity = await answers(200, 'explain_subscription', { body: { dataset: 'skills', entity_id: '9' } });
  expect(entity.body.items[0].matches).toBe(false);
  await answers(200, 'explain_subscription', { body: { stream: 'skills', position: 1 } });
});

test('recoveries are ordered, listed and shown', async () => {
  const id = await subscribe();
  await write('11', '12');
  const { body } = await answers(202, 'replay', { body: { dry_run: true } });
  await answers(202, 'recover', { body: { types: ['dataset.skills.*'], filter: 'version > 0', per_second: 1 } });
  await api.recoveries.end(id, 1, { examined: 2, matched: 2, reopened: 0, at: new Date().toISOString() });
  const { body: ended } = await answers(200, 'read_recovery', { at: { recovery: body.id } });
  expect(ended).toMatchObject({ state: 'done', matched: 2 });
  await answers(200, 'list_recoveries', { query: { page_size: '1' } });
  await answers(404, 'read_recovery', { at: { recovery: 'rec_99' } });
  for (const word of ['replay', 'recover']) {
    await answers(404, word, { at: ABSENT, body: {} });
    await answers(415, word, XML);
    await answers(413, word, HUGE);
  }
  const state = { state: 'disabled', reason: 'x' } as const;
  await api.subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, ...state } }));
  await answers(409, 'replay', { body: {} });
});

test('a consumer of the feed is made, reads, acknowledges, seeks and goes', async () => {
  await subscribe({ mode: 'pull', url: null });
  await write('21', '22', '23');
  await answers(200, 'put_consumer', { body: { settles: true } });
  const { body } = await answers(200, 'next_of_consumer', { query: { limit: '2', visibility: '30' } });
  expect([body.items.length, body.until]).toEqual([2, expect.any(String)]);
  const consumer = await answers(200, 'read_consumer');
  expect(consumer.body.pending).toMatchObject([{ from: '1', to: '2' }]);
  await answers(200, 'list_consumers');
  await answers(200, 'ack_of_consumer', { body: { from: '2', through: '2' } });
  await answers(409, 'ack_of_consumer', { body: { through: '99' } });
  for (const to of ['beginning', 'end', '2', '2026-01-31T00:00:00Z'])
    await answers(200, 'seek_of_consumer', { body: { to } });
  for (const to of ['', 'middle', '-1', '2026-13-31T00:00:00Z'])
    await answers(422, 'seek_of_consumer', { body: { to } });
  for (const id of ['put_consumer', 'ack_of_consumer', 'seek_of_consumer']) {
    await answers(415, id, XML);
    await answers(413, id, HUGE);
  }
  await answers(204, 'delete_consumer');
  for (const id of ['read_consumer', 'delete_consumer']) await answers(404, id);
  for (const id of ['read_feed', 'list_consumers', 'next_of_consumer']) await answers(404, id, { at: ABSENT });
});

test('a cursor of another subscription, or one that was changed, is refused', async () => {
  await subscribe({ mode: 'pull', url: null });
  await write('31', '32');
  const { body } = await answers(200, 'read_feed', { query: { limit: '1' } });
  const cursor: string = body.next_cursor;
  expect((await answers(200, 'read_feed', { query: { after: cursor } })).body.items).toHaveLength(1);
  await answers(400, 'read_feed', { query: { after: `${cursor}x` } });
  await subscribe({ mode: 'pull', url: null });
  await answers(400, 'read_feed', { query: { after: cursor } });
});

test('a watch is created, shown, changed, paused, resumed, explained and removed', async () => {
  const watch = { name: 'quiet', scope: { dataset: 'skills' }, period: 'PT1H' };
  const { body, headers } = await answers(201, 'create_watch', { body: watch });
  contract.places.id = body.id;
  await answers(200, 'list_watches');
  await answers(200, 'read_watch');
  await answers(428, 'change_watch', { body: { period: 'PT2H' } });
  await answers(200, 'change_watch', { body: { period: 'PT2H' }, headers: { 'if-match': headers.get('etag') ?? '' } });
  await answers(412, 'change_watch', { body: {}, headers: STALE });
  await answers(200, 'pause_watch');
  await answers(200, 'resume_watch', { headers: ANY });
  for (const word of ['pause', 'resume', 'delete']) await answers(412, `${word}_watch`, { headers: STALE });
  await answers(200, 'list_gaps', { query: { page_size: '1' } });
  await answers(200, 'explain_watch', { query: { entity: '21' } });
  for (const id of ['create_watch', 'change_watch']) {
    await answers(415, id, XML);
    await answers(413, id, HUGE);
  }
  await answers(404, 'create_watch', { body: { ...watch, scope: { dataset: 'absent' } } });
  await answers(204, 'delete_watch');
  for (const id of ['read_watch', 'pause_watch', 'resume_watch', 'delete_watch', 'list_gaps']) await answers(404, id);
});

test('event types are listed and shown, also as a schema alone', async () => {
  const { body } = await answers(200, 'list_event_types');
  const { type, version } = body.items[0];
  const at = { type, version: String(version) };
  expect((await answers(200, 'read_event_type', { at })).body).toEqual(body.items[0]);
  const schema = await answers(200, 'read_event_type', { at, headers: { accept: 'application/schema+json' } });
  expect(schema.body).toMatchObject(body.items[0].schema);
  await answers(404, 'read_event_type', { at: { type: 'nothing', version: '1' } });
});

test('every success of the document was produced', () => {
  const own = ['Subscriptions', 'Watches', 'Feed'];
  expect(contract.unproduced((tags) => tags.some((tag) => own.includes(tag)))).toEqual([]);
});
