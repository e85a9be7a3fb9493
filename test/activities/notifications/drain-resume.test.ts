import { expect, test } from 'vitest';
import { createDeliveryAttempts } from '../../../activities/notifications/delivery-attempt.js';
import { openDelivery } from './delivery-scene.js';
import type { Behavior } from './notification-scene.js';

test('a drain that takes over reads the ledgers of held deliveries at once, and the others when they are due', async () => {
  const stopped = new AbortController();
  let came = 0;
  const behave: Behavior = (got, response) => {
    came += 1;
    if (came === 5) stopped.abort();
    if (JSON.parse(got.body).subject === '1') response.destroy();
    else response.writeHead(503).end();
  };
  const scene = await openDelivery(behave, { on_ambiguous: 'hold', schedule: [0, 3_600], rate: { concurrency: 1 } });
  const { write, change, drain, progress, ledger, id } = scene;
  await write(...Array.from({ length: 40 }, (_, n) => change(String(n + 1), 'Open')));
  await drain({ signal: stopped.signal });
  const { open: left = [], counts } = (await progress.get(id)) ?? {};
  expect(left).toHaveLength(40);
  expect(left[0]).toEqual({ sequence: 1, block: 1, held: true });
  expect(counts).toMatchObject({ held: 1, pending: 39 });

  const read = ledger.read.bind(ledger);
  const sequences: number[] = [];
  ledger.read = (key) => {
    sequences.push(key.sequence);
    return read(key);
  };
  await drain({ signal: AbortSignal.abort() });
  expect(sequences).toEqual([1]);
  expect(await progress.get(id)).toMatchObject({ counts: { held: 1, pending: 39 } });
});

test('an attempt whose worker died is abandoned after its deadline, and is ambiguous', async () => {
  const { write, change, drain, ledger, id, receiver } = await openDelivery();
  await write(change('1', 'Open'));
  const sender = { send: async () => Promise.reject(new Error('killed')) };
  const { signal } = new AbortController();
  const killed = createDeliveryAttempts({ ledger, sender, owner: 'dead', userAgent: 'Slipway/test', signal });
  await drain({ deliveryAttempts: killed, idleMs: 20 }).catch(() => {}); // dies between the intent and the first byte
  expect((await ledger.read({ subscription: id, sequence: 1 })).attempts).toMatchObject([{ number: 1 }]);
  expect(receiver.received).toHaveLength(0);
  const later = () => new Date(Date.now() + 60_000);
  await drain({ now: later });
  const { attempts } = await ledger.read({ subscription: id, sequence: 1 });
  expect(attempts[0]).toMatchObject({ end: { outcome: 'ambiguous' } });
  const { nextDueAt } = await drain({ now: later });
  expect(Date.parse(nextDueAt ?? '')).toBeGreaterThan(Date.now());
  await drain({ now: () => new Date(Date.now() + 90_000) });
  expect(receiver.received).toHaveLength(1);
});

test('two drains at once send nothing twice', async () => {
  const slow: Behavior = (_, response) => void setTimeout(() => response.end(), 5);
  const { write, change, drain, receiver } = await openDelivery(slow, { rate: { per_second: 1_000 } });
  for (let n = 0; n < 20; n += 1)
    await write(...Array.from({ length: 10 }, (_, m) => change(String(1 + n * 10 + m), 'Open')));
  await Promise.all([drain(), drain(), drain()]);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(200);
  expect(receiver.received).toHaveLength(200);
});

/** Two thirds of the deliveries succeed at once, so the breaker stays closed; the others are due in an hour. */
async function openWaiting() {
  const behave: Behavior = (got, response, before) =>
    void response.writeHead(before.length === 0 && Number(JSON.parse(got.body).subject) % 3 === 0 ? 500 : 200).end();
  const rate = { per_second: 1_000, concurrency: 8 };
  const scene = await openDelivery(behave, { schedule: [0, 3_600], rate });
  await scene.write(...Array.from({ length: 90 }, (_, n) => scene.change(String(n + 1), 'Open')));
  await scene.drain();
  const read = scene.ledger.read.bind(scene.ledger);
  const begin = scene.ledger.begin.bind(scene.ledger);
  const asked = { reads: 0, attempts: 0 };
  scene.ledger.read = (key) => {
    asked.reads += 1;
    return read(key);
  };
  scene.ledger.begin = (key, intent) => {
    asked.attempts += 1;
    return begin(key, intent);
  };
  const later = () => new Date(Date.now() + 5_000_000);
  const known = await scene.progress.get(scene.id);
  if (known === undefined) throw new Error('it was drained');
  return { ...scene, asked, later, known };
}

test('a delivery that waits for its second attempt delays no other one, and its ledger is read when it is due', async () => {
  const { write, change, drain, receiver, progress, id, asked, later, known } = await openWaiting();
  expect(known).toMatchObject({ counts: { pending: 30, delivered: 60 } });
  const first = known.open[0]?.again;
  expect(first?.due).toBeGreaterThanOrEqual((first?.blocks ?? 0) + 3_600);
  await write(change('1000', 'Open'));
  const { nextDueAt = '' } = await drain();
  expect(asked).toEqual({ reads: 0, attempts: 1 });
  expect(Date.parse(nextDueAt)).toBeGreaterThan(Date.now() + 3_000_000);
  expect(receiver.received).toHaveLength(91);
  expect(await progress.get(id)).toMatchObject({ counts: { pending: 30, delivered: 61 } });
  await drain({ now: later });
  expect(asked).toEqual({ reads: 30, attempts: 31 });
  expect(receiver.received).toHaveLength(121);
  expect(await progress.get(id)).toMatchObject({ open: [], counts: { pending: 0, delivered: 91 } });
});

test('progress that was saved before the second attempts repeats none of them', async () => {
  const { drain, receiver, progress, id, later, known } = await openWaiting();
  await drain({ now: later });
  await progress.put(id, known);
  await drain({ now: later });
  expect(receiver.received).toHaveLength(120);
  expect(await progress.get(id)).toMatchObject({ open: [], counts: { pending: 0, delivered: 90, failed: 0 } });
});

test('with another schedule no delivery waits for its old due time', async () => {
  const { drain, receiver, subscriptions, id } = await openWaiting();
  const schedule = [0, 0];
  await subscriptions.update(id, (each) => ({
    ...each,
    generation: each.generation + 1,
    spec: { ...each.spec, schedule },
    status: { ...each.status, effective: { generation: each.generation + 1, after: each.status.starts_at } },
  }));
  await drain();
  expect(receiver.received).toHaveLength(120);
});

test('a drain that takes over parks a delivery that has blocked its entity for too long', async () => {
  const refuseFirst: Behavior = (_, response, before) => void response.writeHead(before.length === 0 ? 500 : 200).end();
  const { write, change, drain, receiver } = await openDelivery(refuseFirst, {
    ...{ schedule: [0, 3_600], ordering: { mode: 'entity', max_block: 'PT1M' } },
  });
  await write(change('1', 'Open'));
  await write(change('1', 'Filled'));
  await drain();
  expect(receiver.received).toHaveLength(1);
  await drain({ now: () => new Date(Date.now() + 70_000) });
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.version)).toEqual([1, 2]);
});

test('a delivery whose worker died before it stored the failure is settled by the next drain', async () => {
  const refuse: Behavior = (_, response) => void response.writeHead(500).end();
  const { write, change, drain, ledger, progress, id, receiver } = await openDelivery(refuse, { schedule: [0, 60] });
  await write(change('1', 'Open'));
  await drain();
  const known = await progress.get(id);
  if (known === undefined) throw new Error('it was drained');
  const settle = ledger.settle.bind(ledger);
  ledger.settle = () => Promise.reject(new Error('it was killed'));
  const later = () => new Date(Date.now() + 100_000);
  await expect(drain({ now: later })).rejects.toThrow('it was killed');
  await progress.put(id, known);
  ledger.settle = settle;
  await drain({ now: later });
  expect(receiver.received).toHaveLength(2);
  const { settlements } = await ledger.read({ subscription: id, sequence: 1 });
  expect(settlements).toMatchObject([{ state: 'failed', by: 'exhausted' }]);
  expect(await progress.get(id)).toMatchObject({ open: [], counts: { failed: 1, pending: 0 } });
});
