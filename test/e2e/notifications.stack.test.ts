import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { type Behavior, openReceiver } from '../activities/notifications/notification-scene.js';
import { PIPELINES, pipelineSpec } from './pipeline-projects.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { untilState } from './run-state.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { until } from './until.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  const fields = { status: { type: 'enum', values: ['Open', 'Filled'] } };
  await platform.admin.call('PUT', '/v2/datasets/positions', {
    kind: 'Dataset',
    id: 'positions',
    spec: { fields, allow_blind_put: true },
  });
}, 600_000);
const receivers: { close: () => Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await platform.stop();
});

async function receive(behave?: Behavior, grant?: Record<string, string>) {
  const receiver = await openReceiver(behave, grant);
  receivers.push(receiver);
  return receiver;
}

const FIRST = 9_007_199_254_740_993n; // above 2^53 on purpose

interface Subscription {
  id: string;
  secret: string;
  counts: { pending: number; delivered: number };
  keys: { last_used_at: string | null }[];
  allowed_rate?: object;
}
interface Delivery {
  sequence: string;
  state: string;
  attempts: { outcome?: string }[];
}
const read = async <T>(path: string): Promise<T> => (await platform.admin.call<T>('GET', path)).body;

async function subscribe(url: string, more: object = {}): Promise<Subscription> {
  const { body } = await platform.admin.call<Subscription>('POST', '/v2/subscriptions', {
    name: 'test',
    url,
    types: ['dataset.positions.*'],
    rate: { per_second: 1_000, concurrency: 16 },
    ...more,
  });
  return body;
}

async function write(ids: readonly bigint[], status: string): Promise<void> {
  for (let from = 0; from < ids.length; from += 500) {
    const items = ids.slice(from, from + 500).map((id) => ({ op: 'put', id: String(id), entity: { status } }));
    await platform.admin.call('POST', '/v2/positions/batch', items);
  }
}

test('a change arrives, signed; what the filter does not take stays back', async () => {
  const receiver = await receive();
  const { id, secret } = await subscribe(receiver.url, { filter: 'changed(status) and status == Filled' });
  await write([FIRST], 'Open');
  await write([FIRST], 'Filled');
  const [got] = await until('its notice', async () => receiver.received.length > 0 && receiver.received);
  expect(JSON.parse(got?.body ?? '')).toMatchObject({
    type: 'dataset.positions.updated',
    subject: String(FIRST),
    data: { previous: { status: 'Open' }, entity: { id: String(FIRST), status: 'Filled' } },
  });
  expect(() => new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>)).not.toThrow();
  expect(receiver.received).toHaveLength(1);
  const address = `http://127.0.0.1:${platform.environment.SLIPWAY_WORKER_INTERNAL_PORT}`;
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  await until('its delay', async () => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return (
      /^slipway_notification_delay_seconds_count 1$/m.test(text) &&
      text.includes(`attempt_seconds_count{subscription="${id}"} 1`)
    );
  });
  await until('the use of its key', async () => {
    const { keys } = await read<Subscription>(`/v2/subscriptions/${id}`);
    return keys[0]?.last_used_at !== null;
  });
});

test('a worker that is killed while it sends loses nothing, and repeats no more than what was under way', async () => {
  const slow: Behavior = (_, response) => void setTimeout(() => response.end(), 5);
  const receiver = await receive(slow);
  const { id } = await subscribe(receiver.url);
  const ids = Array.from({ length: 1_500 }, (_, n) => FIRST + 1_000n + BigInt(n));
  await write(ids, 'Open');
  for (const share of [0.2, 0.5]) {
    await until('some notices', async () => receiver.received.length > ids.length * share);
    platform.signal('worker', 'SIGKILL');
  }
  await until('all notices', async () => new Set(receiver.received.map((each) => each.id)).size === ids.length, {
    seconds: 120,
  });
  const { counts } = await until('the end', async () => {
    const found = await read<Subscription>(`/v2/subscriptions/${id}`);
    return found.counts.pending === 0 && found;
  });
  expect(counts.delivered).toBeGreaterThan(0);

  const { items } = await read<{ items: Delivery[] }>(`/v2/subscriptions/${id}/deliveries?page_size=100`);
  expect(items.map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: 100 }, (_, n) => ids.length - n));
  expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['delivered']));

  const byId = new Map<string, string[]>();
  for (const { id: notice, body } of receiver.received) byId.set(notice, [...(byId.get(notice) ?? []), body]);
  const repeats = receiver.received.length - byId.size;
  // Two kills, sixteen attempts under way at most.
  expect(repeats).toBeLessThanOrEqual(32);
  for (const bodies of byId.values()) expect(new Set(bodies).size).toBe(1);
}, 600_000);

test('a worker that ends lets the attempts of slow receivers end: nothing is held', async () => {
  const answering: ServerResponse[] = [];
  // Its answer goes on until the limit of the attempt, in drops: none of its pauses is too long.
  const slow: Behavior = ({ body }, response) => {
    if (JSON.parse(body).subject === String(FIRST + 4_000n)) return void response.end();
    response.write(' ');
    const drops = setInterval(() => response.write(' '), 5_000);
    response.once('close', () => clearInterval(drops));
    answering.push(response);
  };
  const receiver = await receive(slow);
  const { id } = await subscribe(receiver.url, { on_ambiguous: 'hold' });
  await write([FIRST + 4_000n], 'Open');
  await until('a live drain', async () => receiver.received.length > 0);
  platform.signal('worker', 'SIGTERM');
  await write([FIRST + 4_001n], 'Open');
  await until('the slow attempt', async () => answering.length > 0);
  await until('its end', async () => answering.every(({ closed }) => closed));
  const { items } = await until('both outcomes', async () => {
    const page = await read<{ items: Delivery[] }>(`/v2/subscriptions/${id}/deliveries`);
    return page.items.every(({ state }) => state !== 'pending' && state !== 'sending') && page;
  });
  expect(items.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  expect(receiver.received).toHaveLength(2);
}, 600_000);

test('a training that succeeds is one notice', async () => {
  const receiver = await receive();
  const types = ['pipeline.training.succeeded', 'dataset.positions.updated'];
  const project = await createProject(platform, SMALL_MODEL);
  const name = platform.newId('emitted');
  await subscribe(receiver.url, { types, filter: `model_name == ${name}` });
  await platform.admin.create('/model/training', name, trainingSpec(project, { name }));
  const { status } = await untilState(platform, '/model/training', name, ['succeeded', 'failed'], 240);
  const got = () => receiver.received.map(({ body }) => JSON.parse(body));
  const [event] = await until('its event', async () => receiver.received.length > 0 && got());
  expect(event).toMatchObject({
    type: 'pipeline.training.succeeded',
    subject: `training/${name}`,
    data: { id: name, model_name: name, artifact_name: status.artifactName, metrics: { answer: 42 } },
  });
  const { example } = await read<{ example: { dataschema: string } }>(new URL(event.dataschema).pathname);
  expect(example.dataschema).toBe(event.dataschema);
  // The next event shows that none came between; its type has no such field, so it is not filtered.
  await write([FIRST + 1n], 'Open');
  await write([FIRST + 1n], 'Filled');
  await until('the next notice', async () => receiver.received.length > 1);
  expect(got().map(({ type, sequence }) => [type, Number(sequence)])).toEqual([
    ['pipeline.training.succeeded', 1],
    ['dataset.positions.updated', 2],
  ]);
}, 600_000);

test('the feed goes on while the worker is stopped; the deliveries pushed afterwards are the same to the byte', async () => {
  const receiver = await receive();
  const { id } = await subscribe(receiver.url);
  await platform.admin.call('PUT', `/v2/feed/${id}/consumers/reader`, { settles: true });
  const ids = Array.from({ length: 20 }, (_, n) => FIRST + 5_000n + BigInt(n));
  interface Page {
    items: { sequence: string; notice_id: string; event: { subject: string } }[];
  }
  platform.signal('worker', 'SIGSTOP');
  let read20: Page['items'];
  try {
    const waiting = read<Page>(`/v2/feed/${id}?wait=30`);
    await write(ids, 'Open');
    expect((await waiting).items[0]?.event.subject).toBe(String(ids[0]));
    ({ items: read20 } = await read<Page>(`/v2/feed/${id}/consumers/reader/next`));
    expect(read20.map(({ event }) => event.subject)).toEqual(ids.map(String));
    await platform.admin.call('POST', `/v2/feed/${id}/consumers/reader/ack`, { through: '10' });
    expect(receiver.received).toEqual([]);
  } finally {
    platform.signal('worker', 'SIGCONT');
  }
  // Deliveries that the reader took are settled: only the rest is pushed.
  const rest = read20.slice(10);
  await until('the rest', async () => receiver.received.length >= rest.length, { seconds: 60 });
  await until('the end', async () => {
    const { counts } = await read<Subscription>(`/v2/subscriptions/${id}`);
    return counts.pending === 0 && counts.delivered === ids.length;
  });
  expect(receiver.received.map((got) => [got.id, JSON.parse(got.body)]).toSorted()).toEqual(
    rest.map(({ notice_id, event }) => [notice_id, event]).toSorted(),
  );
});

test('a receiver that grants three notices a minute gets three', async () => {
  const receiver = await receive(undefined, { 'webhook-allowed-origin': '*', 'webhook-allowed-rate': '3' });
  const { id, allowed_rate } = await subscribe(receiver.url);
  expect(allowed_rate).toEqual({ per_minute: 3 });
  await write(
    Array.from({ length: 6 }, (_, n) => FIRST + 9_000n + BigInt(n)),
    'Open',
  );
  await until('the first three', async () => {
    const { counts } = await read<Subscription>(`/v2/subscriptions/${id}`);
    return counts.delivered === 3 && counts.pending === 3;
  });
  expect(receiver.received).toHaveLength(3);
});

test('each pipeline without a run is emitted once as absent, and explained', async () => {
  const { id: subscription } = await subscribe('', { url: null, mode: 'pull', types: ['watch.*'] });
  const watch = await platform.admin.call<{ id: string }>('POST', '/v2/watches', {
    name: 'no good run',
    ...{ period: 'PT4S', arm_at: 'creation' },
    scope: { stream: 'pipeline', types: ['pipeline.run.succeeded'] },
  });
  const { id } = watch.body;
  const code = await createProject(platform, SMALL_MODEL);
  const names = [platform.newId('first'), platform.newId('second')];
  for (const name of names) {
    await platform.admin.call('POST', PIPELINES, {
      id: name,
      spec: { ...pipelineSpec(name, code), packaging: {}, deployment: {} },
    });
  }
  const things = names.map((name) => `pipeline/${name}`);
  interface Emitted {
    type: string;
    data: { entity_id: string; gap_id: string };
  }
  const emitted = await until('both of them', async () => {
    const { items } = await read<{ items: { event: Emitted }[] }>(`/v2/feed/${subscription}`);
    return items.length >= 2 && items.map(({ event }) => event);
  });
  expect(emitted.map(({ type, data }) => [type, data.entity_id]).toSorted()).toEqual(
    things.map((thing) => ['watch.absent', thing]).toSorted(),
  );
  for (const { data } of emitted) {
    const { body } = await platform.admin.call('GET', `/v2/watches/${id}/explain?entity=${data.entity_id}`);
    // language: a field of the answer on the wire.
    // language: `told` is a field of the wire format
    expect(body).toMatchObject({ state: 'absent', gap_id: data.gap_id, told: ['absent'] });
  }
});
