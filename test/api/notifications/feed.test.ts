import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
let row = 0;
beforeAll(async () => {
  api = await startTestReference();
  const fields = { title: { type: 'text' }, status: { type: 'enum', values: ['Open', 'Filled'] } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
});
afterAll(() => api.stop());

const BIG = 9_007_199_254_740_993n;
/** New rows, each one event. */
async function write(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => String(BIG + BigInt((row += 1))));
  for (const id of ids) await api.call('PUT', `/v2/positions/${id}`, { body: { status: 'Open' } });
  return ids;
}

async function subscribe(more: object = {}): Promise<string> {
  const body = { name: 'reader', mode: 'pull', types: ['dataset.positions.*'], ...more };
  const reply = await api.call('POST', '/v2/subscriptions', { body });
  expect(reply.status).toBe(201);
  return reply.body.id as string;
}

const subjects = (reply: { body: { items: { event: { subject: string } }[] } }) =>
  reply.body.items.map(({ event }) => event.subject);
const read = (id: string, query = '') => api.call('GET', `/v2/feed/${id}?${query}`);

test('a pull subscription needs no address and promises the feed; pages hold what will be pushed to the byte', async () => {
  const id = await subscribe();
  const shown = await api.call('GET', `/v2/subscriptions/${id}`);
  expect(shown.body).toMatchObject({
    url: null,
    level: { proven: 'L3' },
    guarantee: { text: expect.stringContaining('commit the cursor') },
  });
  const ids = await write(5);
  const first = await read(id, 'limit=2');
  expect(subjects(first)).toEqual(ids.slice(0, 2));
  expect(first.body).toMatchObject({ settled_through: '0', retained_from: '1' });
  const rest = await read(id, `after=${first.body.next_cursor}`);
  expect(subjects(rest)).toEqual(ids.slice(2));
  expect(rest.body.head_sequence).toBe('5');
  const again = await read(id, `after=${first.body.items[0].cursor}&limit=1`);
  expect(subjects(again)).toEqual(ids.slice(1, 2));
  for (const { sequence, notice_id } of [...first.body.items, ...rest.body.items]) {
    const pushed = await api.call('GET', `/v2/subscriptions/${id}/deliveries/${sequence}/request`);
    expect([first, rest].some(({ text }) => text.includes(`"event":${pushed.text}}`))).toBe(true);
    expect(JSON.parse(pushed.text)).toMatchObject({ noticeid: notice_id, subscriptionid: id });
  }
  const end = await read(id, `after=${rest.body.next_cursor}`);
  expect(end.body.items).toEqual([]);
  expect(subjects(await read(id, `after=${end.body.next_cursor}&limit=1`))).toEqual([]);
});

test('a subscription created while an import holds changes back gets all of them, once the import releases them', async () => {
  const { follower } = api.datasets.get('positions').dataset;
  const hold = async (subject: string): Promise<string> => {
    const [version, at] = [1, '2026-01-01T00:00:00.000Z'];
    const body = `{"id":"${subject}","status":"Open","version":1,"created_at":"${at}","updated_at":"${at}"}`;
    const change = { id: subject, version, at, body, actor: 'test', schema: 1, commit: subject };
    await follower.append(() => ({ kind: 'changes', changes: [change] }));
    return subject;
  };
  await follower.append(() => ({ kind: 'hold', import: 'imp_held' }));
  const before = await hold('1');
  const id = await subscribe();
  const behind = await hold('2');
  expect(subjects(await read(id))).toEqual([]);
  await follower.append(() => ({ kind: 'release', import: 'imp_held' }));
  expect(subjects(await read(id))).toEqual([before, behind]);
});

test('processes that make the notices of one feed at once agree on every byte', async () => {
  const id = await subscribe();
  const other = await startTestReference({ database: api.database, issuer: api.issuer });
  try {
    await write(30);
    const [here, there] = await Promise.all([read(id), other.call('GET', `/v2/feed/${id}`)]);
    const events = ({ text }: { text: string }) =>
      [...text.matchAll(/"event":(\{.*?\}\})\}/g)].map(([, event = '']) => event);
    expect(events(here)).toHaveLength(30);
    expect(events(there)).toEqual(events(here));
  } finally {
    await other.stop();
  }
});

test('a reader that waits is answered by the next event that it wants', async () => {
  const id = await subscribe({ filter: 'status == Filled' });
  const place = (await read(id)).body.next_cursor;
  const waiting = read(id, `after=${place}&wait=30`);
  const [other] = await write(1); // not what it waits for
  await api.call('PATCH', `/v2/positions/${other}`, { body: { status: 'Filled' }, headers: { 'if-match': '*' } });
  expect(subjects(await waiting)).toEqual([other]);
});

test('a wait looks once, sleeps until something happens, and ends when its reader leaves', async () => {
  let [listening, looks] = [0, 0];
  const { feed } = api;
  const counted = await startTestReference({
    database: api.database,
    issuer: api.issuer,
    changes: {
      notifying: {
        ...api,
        feed: {
          fanOut: (...asked) => {
            looks += 1;
            return feed.fanOut(...asked);
          },
          listen: (listener) => {
            const end = feed.listen(listener);
            listening += 1;
            return () => {
              listening -= 1;
              end();
            };
          },
        },
      },
    },
  });
  try {
    const id = await subscribe();
    const leave = new AbortController();
    const token = await counted.tokenOf(['subscriptions:read', 'data:read:*']);
    const left = fetch(`${counted.url}/v2/feed/${id}?wait=30`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leave.signal,
    }).catch(() => 'left');
    while (looks === 0) await new Promise(setImmediate);
    leave.abort();
    expect(await left).toBe('left');
    while (listening > 0) await new Promise(setImmediate);
    expect(looks).toBe(1);
  } finally {
    await counted.stop();
  }
});

test('a cursor that is none, of another feed, or too old is refused in words', async () => {
  const [id, other] = [await subscribe(), await subscribe()];
  await write(3);
  const { next_cursor: cursor } = (await read(id, 'limit=1')).body;
  for (const after of ['x', cursor.slice(0, -2), (await read(other)).body.next_cursor]) {
    const reply = await read(id, `after=${after}`);
    expect([reply.status, reply.body.code]).toEqual([400, 'feed.cursor_malformed']);
  }
  for (const bad of ['limit=0', 'limit=1001', 'wait=31', 'wait=x']) {
    expect((await read(id, bad)).body.code).toBe('parameter.invalid');
  }
  await read(id);
  await write(1);
  await read(id);
  const { block } = (await api.outbox.find(id, 4)) ?? {};
  const kept = { block: block?.block ?? 0, sequence: block?.from ?? 0 };
  await api.outbox.removeBefore(id, kept, async () => {});
  const expired = await read(id, `after=${cursor}`);
  expect([expired.status, expired.body.code]).toEqual([410, 'feed.cursor_expired']);
  expect(expired.body.retained_from).toBe(String(kept.sequence));
  expect((await read(id)).body.retained_from).toBe(String(kept.sequence));
});

test('a feed shows its reader nothing that may not be read otherwise', async () => {
  const id = await subscribe();
  const as = ['subscriptions:read', 'subscriptions:write'];
  expect((await api.call('GET', `/v2/feed/${id}`, { as })).body).toMatchObject({ code: 'subscription.not_found' });
  const next = `/v2/feed/${id}/consumers/a/next`;
  expect((await api.call('GET', next, { as })).body).toMatchObject({ code: 'subscription.not_found' });
});

function consumer(id: string, name = 'billing') {
  const path = `/v2/feed/${id}/consumers/${name}`;
  return {
    next: (query = '') => api.call('GET', `${path}/next?${query}`),
    ack: (body: object) => api.call('POST', `${path}/ack`, { body }),
    seek: (to: string) => api.call('POST', `${path}/seek`, { body: { to } }),
    put: (body: object) => api.call('PUT', path, { body }),
    read: () => api.call('GET', path),
    remove: () => api.call('DELETE', path),
  };
}

test('a consumer that is restarted goes on behind what it acknowledged', async () => {
  const id = await subscribe();
  const { next, ack, read: show, remove } = consumer(id);
  expect((await show()).body.code).toBe('feed.consumer_not_found');
  const ids = await write(4);
  expect(subjects(await next('limit=3'))).toEqual(ids.slice(0, 3));
  expect(subjects(await next('limit=3'))).toEqual(ids.slice(0, 3));
  expect((await ack({ through: '2' })).body).toMatchObject({ acknowledged_through: '2', handed_out_through: '3' });
  expect(subjects(await next())).toEqual(ids.slice(2));
  const ahead = await ack({ through: '5' });
  expect([ahead.status, ahead.body.code, ahead.body.handed_out_through]).toEqual([409, 'feed.ack_ahead', '4']);
  expect((await ack({ through: 'x' })).body.code).toBe('entity.invalid');
  expect((await ack({ through: '4' })).body).toMatchObject({ acknowledged_through: '4', pending: [] });
  expect(subjects(await next())).toEqual([]);
  const waiting = next('wait=30');
  const [last] = await write(1);
  expect(subjects(await waiting)).toEqual([last]);
  const list = await api.call('GET', `/v2/feed/${id}/consumers`);
  expect(list.body.items).toMatchObject([{ name: 'billing', settles: false }]);
  expect((await remove()).status).toBe(204);
  expect((await remove()).status).toBe(404);
});

test('readers of one name share the feed: each notice goes to one of them, until its time ends', async () => {
  const id = await subscribe();
  const ids = await write(40);
  const { next, ack } = consumer(id, 'group');
  const pages = await Promise.all(Array.from({ length: 4 }, () => next('limit=10&visibility=600')));
  expect(pages.flatMap(subjects).toSorted()).toEqual(ids.toSorted());
  expect((await next('visibility=600')).body.items).toEqual([]);
  const [, second] = pages.map(({ body }) => body.items.map(({ sequence }: { sequence: string }) => Number(sequence)));
  const done = await ack({ from: String(second.at(0)), through: String(second.at(-1)) });
  // Neighbors that were handed out in one millisecond are one span.
  const pending = done.body.pending.flatMap(({ from, to }: Record<'from' | 'to', string>) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => Number(from) + n),
  );
  const all = Array.from({ length: 40 }, (_, n) => n + 1);
  expect(pending).toEqual(all.filter((sequence) => !second.includes(sequence)));
});

/** The time, later than it was. */
async function nextMillisecond(): Promise<string> {
  const begun = Date.now();
  while (Date.now() === begun) await new Promise(setImmediate);
  return new Date().toISOString();
}

test('seek goes to the beginning, the end, a number or a time', async () => {
  const id = await subscribe();
  const ids = await write(2);
  await read(id);
  const between = await nextMillisecond();
  await nextMillisecond();
  ids.push(...(await write(2)));
  await read(id);
  const { next, seek } = consumer(id);
  const after = async (to: string) => {
    expect((await seek(to)).status).toBe(200);
    return subjects(await next());
  };
  expect(await after('end')).toEqual([]);
  expect(await after('beginning')).toEqual(ids);
  expect(await after('2')).toEqual(ids.slice(1));
  expect(await after(between)).toEqual(ids.slice(2));
  expect(await after('2999-01-01T00:00:00Z')).toEqual([]);
  expect((await seek('soon')).body.code).toBe('entity.invalid');
});

test('an acknowledgement of a consumer that settles ends the push delivery too, once', async () => {
  const id = await subscribe({ mode: 'push', url: 'https://hr.example/hooks' });
  await write(3);
  const { next, ack, put } = consumer(id);
  expect((await put({ settles: true })).body).toMatchObject({ settles: true });
  await next('limit=2');
  await ack({ through: '2' });
  const deliveries = await Promise.all(
    [1, 2, 3].map((sequence) => api.call('GET', `/v2/subscriptions/${id}/deliveries/${sequence}`)),
  );
  expect(deliveries.map(({ body }) => [body.state, body.by])).toEqual([
    ['delivered', 'feed'],
    ['delivered', 'feed'],
    ['pending', undefined],
  ]);
  expect(await api.interventions.read(id, 0)).toMatchObject({ sequences: [1, 2], position: 1 });
  await ack({ through: '2' });
  expect((await api.interventions.read(id, 0)).position).toBe(1);
});
