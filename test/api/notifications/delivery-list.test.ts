import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Outcome } from '../../../notifications/kinds/attempt.js';
import type { OutboxEvent } from '../../../notifications/kinds/outbox-event.js';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
let id: string;
let path: string;
const minute = (n: number): string => new Date(Date.now() - 3_600_000 + n * 60_000).toISOString();
let times: string[];

beforeAll(async () => {
  api = await startTestReference();
  const fields = { status: { type: 'enum', values: ['Open', 'Filled'] } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
});
/** Forty notices in ten blocks, a minute apart; every fourth one is refused, every fourth ambiguous and held. */
beforeEach(async () => {
  const body = {
    ...{ name: 'a', url: 'https://hr.example/', types: ['dataset.positions.*'], on_ambiguous: 'hold' },
    ordering: { max_block: 'PT30M' },
  };
  id = (await api.call('POST', '/v2/subscriptions', { body })).body.id;
  path = `/v2/subscriptions/${id}/deliveries`;
  times = Array.from({ length: 10 }, (_, n) => minute(n * 4));
  const sources = { positions: { position: 1, index: 0 } };
  for (const [index, at] of times.entries()) {
    const notices = Array.from({ length: 4 }, (_, n): OutboxEvent => {
      const sequence = index * 4 + n + 1;
      const type = `dataset.positions.${n % 2 === 0 ? 'created' : 'updated'}`;
      return { sequence, id: `ntc_${sequence}`, eventId: `evt_${sequence}`, type, about: `positions/${n}`, body: '{}' };
    });
    await api.outbox.insert(id, { block: index + 1, from: index * 4 + 1, notices, sources, at, token: 't' });
  }
  const outcomes: Outcome[] = ['confirmed', 'refused', 'ambiguous'];
  for (let sequence = 1; sequence <= 40; sequence += 1) {
    const outcome = outcomes[(sequence - 1) % 4];
    if (outcome === undefined) continue;
    const key = { subscription: id, sequence };
    const at = times[Math.floor((sequence - 1) / 4)] ?? '';
    await api.ledger.begin(key, { number: 1, episode: 0, owner: 'o', startedAt: at, deadline: at });
    await api.ledger.end(key, 1, { outcome, at, status: outcome === 'confirmed' ? 200 : 500 });
  }
});
afterAll(() => api.stop());

interface Item {
  sequence: string;
  state: string;
  parked?: boolean;
}
async function walk(query: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let token = ''; ;) {
    const { status, body } = await api.call('GET', `${path}?${query}${token}`);
    expect(status).toBe(200);
    items.push(...body.items);
    if (body.next_page_token === undefined) return items;
    token = `&page_token=${body.next_page_token}`;
  }
}
const numbers = (items: readonly Item[]) => items.map(({ sequence }) => Number(sequence));
const every = (wanted: (sequence: number) => boolean) =>
  Array.from({ length: 40 }, (_, n) => 40 - n).filter((sequence) => wanted(sequence));

test.each([
  ['', () => true],
  ['state=delivered', (n: number) => n % 4 === 1],
  ['state=held', (n: number) => n % 4 === 3],
  ['state=pending', (n: number) => n % 4 === 0 || n % 4 === 2],
  ['outcome=refused', (n: number) => n % 4 === 2],
  ['type=dataset.positions.created', (n: number) => n % 2 === 1],
  ['type=dataset.positions.*', () => true],
  ['type=dataset.skills.*', () => false],
  ['subject=3', (n: number) => n % 4 === 0],
  ['subject=positions/0&state=delivered', (n: number) => n % 4 === 1],
])('%s lists those, newest first, on pages of any size', async (query, wanted) => {
  for (const size of [3, 100]) expect(numbers(await walk(`${query}&page_size=${size}`))).toEqual(every(wanted));
});

test('from and until take creation times of deliveries, from is inclusive', async () => {
  const query = `from=${times[2]}&until=${times[5]}`;
  expect(numbers(await walk(query))).toEqual(every((n) => n > 8 && n <= 20));
});

test('what has blocked its entity for too long is marked, and can be asked for', async () => {
  const parked = await walk('state=parked');
  expect(parked.length).toBeGreaterThan(5);
  expect(parked.every((item) => item.parked === true)).toBe(true);
  const all = await walk('');
  expect(numbers(all.filter((item) => item.parked))).toEqual(numbers(parked));
});

test('what a drain knows to be settled is not looked at again, and what people re-opened is', async () => {
  const counts = { pending: 0, held: 0, delivered: 0, failed: 0, cancelled: 0 };
  const open = [3, 39].map((sequence) => ({ sequence, block: Math.ceil(sequence / 4) }));
  const known = { open, interventions: 0, touched: [], counts, breaker: {}, at: minute(50) };
  const place = { block: 10, sequence: 40, sources: {}, loadedThrough: 39, loadedBlock: 10 };
  await api.progress.put(id, { ...place, ...known });
  expect(numbers(await walk('state=held'))).toEqual([39, 3]);
  expect((await api.call('POST', `${path}/1/resend`)).status).toBe(202);
  expect(numbers(await walk('state=pending'))).toEqual([40, 1]);
});

test('everything comes in one answer as NDJSON, with the same filters', async () => {
  const { status, headers, text } = await api.call('GET', `${path}?outcome=confirmed`, {
    headers: { accept: 'application/x-ndjson' },
  });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  const lines = text.trimEnd().split('\n');
  expect(numbers(lines.map((line) => JSON.parse(line)))).toEqual(every((n) => n % 4 === 1));
});

test('a notice has its timeline', async () => {
  const { body } = await api.call('GET', `${path}/2`);
  expect(body.timeline.map(({ what }: { what: string }) => what)).toEqual(['minted', 'intent', 'outcome', 'due']);
});

test('what cannot be meant is refused', async () => {
  for (const bad of ['state=lost', 'outcome=x', 'from=yesterday', 'before=3', 'page_size=101']) {
    expect((await api.call('GET', `${path}?${bad}`)).status).toBe(400);
  }
  const { body } = await api.call('GET', `${path}?page_size=2`);
  const token = body.next_page_token;
  const other = await api.call('GET', `${path}?state=held&page_token=${token}`);
  expect([other.status, other.body.code]).toEqual([400, 'page.token_mismatch']);
  expect((await api.call('GET', `${path}?page_token=x`)).body.code).toBe('page.token_malformed');
});
