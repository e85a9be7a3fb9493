import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
const ids: string[] = [];
const AT = new Date().toISOString();

/** Three subscriptions of seven deliveries: of the second none failed, of the others those with an odd number. */
beforeAll(async () => {
  api = await startTestReference();
  await api.call('PUT', '/v2/datasets/positions', {
    body: { kind: 'Dataset', id: 'positions', spec: { fields: { status: { type: 'text' } } } },
  });
  for (const name of ['a', 'b', 'c']) {
    const body = { name, url: 'https://hr.example/', types: ['dataset.positions.*'] };
    ids.push((await api.call('POST', '/v2/subscriptions', { body })).body.id);
  }
  ids.sort();
  for (const [index, id] of ids.entries()) {
    const notices = Array.from({ length: 7 }, (_, n) => ({
      ...{ sequence: n + 1, id: `ntc_${id}_${n}`, eventId: `evt_${n}`, about: `positions/${n}`, body: '{}' },
      type: `dataset.positions.${n === 0 ? 'created' : 'updated'}`,
    }));
    const sources = { positions: { position: 1, index: 0 } };
    await api.outbox.insert(id, { block: 1, from: 1, notices, sources, at: AT, token: 't' });
    for (const sequence of index === 1 ? [] : [1, 3, 5, 7]) {
      const settlement = { episode: 0, state: 'failed', by: 'exhausted', at: AT } as const;
      await api.ledger.settle({ subscription: id, sequence }, settlement);
    }
  }
});
afterAll(() => api.stop());

async function walk(query: string): Promise<{ subscription: string; sequence: string; state: string }[]> {
  const items = [];
  for (let token = ''; ;) {
    const { status, body } = await api.call('GET', `/v2/failed-deliveries?${query}${token}`);
    expect(status).toBe(200);
    items.push(...body.items);
    if (body.next_page_token === undefined) return items;
    token = `&page_token=${body.next_page_token}`;
  }
}

test('failed deliveries of all subscriptions are listed, on pages of any size', async () => {
  const wanted = [ids[0], ids[2]].flatMap((id) => ['7', '5', '3', '1'].map((sequence) => [id, sequence]));
  for (const size of [1, 3, 4, 100]) {
    const items = await walk(`page_size=${size}`);
    expect(items.map(({ subscription, sequence }) => [subscription, sequence])).toEqual(wanted);
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['failed']));
  }
  const created = await walk('type=dataset.positions.created');
  expect(created.map(({ subscription, sequence }) => [subscription, sequence])).toEqual([
    [ids[0], '1'],
    [ids[2], '1'],
  ]);
});

test('a token of another filter, a broken one and an unknown parameter are refused', async () => {
  const { body } = await api.call('GET', '/v2/failed-deliveries?page_size=1');
  const other = await api.call('GET', `/v2/failed-deliveries?subject=1&page_token=${body.next_page_token}`);
  expect([other.status, other.body.code]).toEqual([400, 'page.token_mismatch']);
  const broken = await api.call('GET', '/v2/failed-deliveries?page_token=abc');
  expect([broken.status, broken.body.code]).toEqual([400, 'page.token_malformed']);
  expect((await api.call('GET', '/v2/failed-deliveries?state=held')).status).toBe(400);
});

test('a failed delivery can be sent again twice, and leaves the list', async () => {
  const { body } = await api.call('GET', '/v2/failed-deliveries?page_size=1');
  const [{ subscription, sequence }] = body.items;
  const resend = () => api.call('POST', `/v2/subscriptions/${subscription}/deliveries/${sequence}/resend`);
  expect(await resend()).toMatchObject({ status: 202, body: { state: 'pending' } });
  expect(await resend()).toMatchObject({ status: 409, body: { code: 'delivery.in_flight' } });
  const { reopenings } = await api.ledger.read({ subscription, sequence: Number(sequence) });
  expect(reopenings).toHaveLength(1);
  expect((await walk('')).length).toBe(7);
});
