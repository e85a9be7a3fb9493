import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { createFeedFanOut } from '../../../activities/notifications/feed-fan-out.js';
import type { LogEntry } from '../../../reference/dataset/change.js';
import { collections } from '../../../platform/stores/collections.js';
import { createStreamLog } from '../../../platform/stores/stream-log.js';
import { failedWith, NOTHING_WAITS, openDelivery } from './delivery-scene.js';
import type { Behavior } from './notification-scene.js';

test('each change that matches arrives once, signed, in order, with its event in it', async () => {
  const { write, change, drain, receiver, secret, dataset, id } = await openDelivery();
  await write(change('9007199254740993', 'Open'), change('2', 'Open'));
  await write(change('9007199254740993', 'Filled'));
  await write(change('2', null));
  expect(await drain()).toEqual({ ended: false, more: false, summary: NOTHING_WAITS });
  expect(receiver.received).toHaveLength(4);
  const events = receiver.received.map(({ body }) => JSON.parse(body));
  expect(events.map(({ type, subject }) => [type.split('.').at(-1), subject]).sort()).toEqual([
    ['created', '2'],
    ['created', '9007199254740993'],
    ['deleted', '2'],
    ['updated', '9007199254740993'],
  ]);
  const update = events.find(({ type }) => type.endsWith('updated'));
  expect(update).toMatchObject({
    specversion: '1.0',
    source: `/v2/datasets/${dataset}`,
    subscriptionid: id,
    data: { version: 2, changed: ['status'], previous: { status: 'Open' }, entity: { status: 'Filled' } },
  });
  for (const { headers, body } of receiver.received) {
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  }
  await drain();
  expect(receiver.received).toHaveLength(4);
});

test('the delay of each delivery is reported once, and not for refusals or resent deliveries', async () => {
  const refuseFirst: Behavior = (_, response, before) => void response.writeHead(before.length === 0 ? 500 : 200).end();
  const { write, change, drain, ledger, interventions, id, receiver } = await openDelivery(refuseFirst, {
    schedule: [0, 0],
  });
  await write(change('1', 'Open'), change('2', 'Open'));
  const delays: number[] = [];
  const delivered = (delayMs: number): void => void delays.push(delayMs);
  await drain({ onDelivered: delivered });
  expect(receiver.received).toHaveLength(4);
  expect(delays).toHaveLength(2);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  await interventions.add(id, [1], { after: 0 });
  await drain({ onDelivered: delivered });
  expect([receiver.received.length, delays.length]).toEqual([5, 2]);
});

test('only events that match the filter become deliveries', async () => {
  const { write, change, drain, receiver } = await openDelivery(undefined, {
    filter: 'changed(status) and old.status == Open',
  });
  await write(change('1', 'Open'), change('2', 'Filled'));
  await write(change('1', 'Filled'), change('2', 'Open'));
  await drain();
  expect(receiver.received.map(({ body }) => JSON.parse(body).subject)).toEqual(['1']);
});

test('a refused delivery is sent again with the same id and bytes and a later signature, and blocks only its own entity', async () => {
  const refuseFirst: Behavior = (got, response, before) => {
    response.statusCode = JSON.parse(got.body).subject === '1' && before.length === 0 ? 500 : 200;
    response.end();
  };
  const { write, change, drain, receiver } = await openDelivery(refuseFirst, { schedule: [0, 1, 1] });
  await write(change('1', 'Open'), change('2', 'Open'));
  await write(change('1', 'Filled'));
  const turn = await drain({ idleMs: 2_500 });
  expect(turn).toEqual({ ended: false, more: false, summary: { ...NOTHING_WAITS, ...failedWith(500) } });
  const of1 = receiver.received.filter(({ body }) => JSON.parse(body).subject === '1');
  expect(of1.map(({ body }) => JSON.parse(body).data.version)).toEqual([1, 1, 2, 2]);
  expect(of1[1]).toMatchObject({ id: of1[0]?.id, body: of1[0]?.body });
  expect(of1[1]?.timestamp).toBeGreaterThan(of1[0]?.timestamp ?? 0);
  expect(receiver.received.findIndex(({ body }) => JSON.parse(body).subject === '2')).toBeLessThan(2);
});

test('a drain that ends returns the time of the next attempt', async () => {
  const { write, change, drain, progress, id } = await openDelivery(
    (_, response) => void response.writeHead(503).end(),
  );
  await write(change('1', 'Open'));
  const began = Date.now();
  const { more, nextDueAt } = await drain();
  expect(more).toBe(false);
  expect(Date.parse(nextDueAt ?? '')).toBeGreaterThan(began + 3_000);
  expect(await progress.get(id)).toMatchObject({
    counts: { pending: 1, delivered: 0 },
    open: [{ sequence: 1, block: 1 }],
  });
});

test('a delivery has failed after the last attempt, and stays failed', async () => {
  const { write, change, drain, ledger, id, receiver } = await openDelivery(
    (_, response) => void response.writeHead(400).end(),
    {
      schedule: [0, 0],
    },
  );
  await write(change('1', 'Open'));
  await drain();
  expect(receiver.received).toHaveLength(2);
  const { settlements, attempts } = await ledger.read({ subscription: id, sequence: 1 });
  expect(settlements).toMatchObject([{ episode: 0, state: 'failed', by: 'exhausted' }]);
  expect(attempts.map(({ end }) => end?.status)).toEqual([400, 400]);
});

test('a subscription whose endpoint is gone is disabled, and its deliveries wait', async () => {
  const { write, change, drain, subscriptions, id, progress, receiver } = await openDelivery(
    (_, response) => void response.writeHead(410).end(),
    { rate: { concurrency: 1 } },
  );
  await write(change('1', 'Open'), change('2', 'Open'));
  await drain();
  expect(await subscriptions.get(id)).toMatchObject({
    status: { state: 'disabled', reason: expect.stringMatching(/410/) },
  });
  expect(receiver.received).toHaveLength(1);
  await write(change('3', 'Open'));
  await drain();
  expect(receiver.received).toHaveLength(1);
  expect(await progress.get(id)).toMatchObject({ sequence: 3, counts: { pending: 3 } });
});

test('with on_ambiguous "hold" an ambiguous attempt waits for an operator, and so does its entity', async () => {
  const { write, change, drain, receiver, progress, id } = await openDelivery(
    (_, response) => void response.destroy(),
    {
      on_ambiguous: 'hold',
    },
  );
  await write(change('1', 'Open'));
  await write(change('1', 'Filled'));
  await drain();
  await drain();
  expect(receiver.received).toHaveLength(1);
  expect(await progress.get(id)).toMatchObject({ counts: { held: 1, pending: 1 } });
});

test('changes that an import holds back become events when it is released', async () => {
  const { append, write, change, drain, receiver, dataset } = await openDelivery();
  await append({ kind: 'hold', import: 'imp_1' });
  await write(change('1', 'Open'));
  await write(change('2', 'Open'), change('1', 'Filled'));
  await drain();
  expect(receiver.received).toHaveLength(0);
  await append({ kind: 'release', import: 'imp_1' });
  await drain();
  const events = receiver.received.map(({ body }) => JSON.parse(body));
  expect(events.map(({ source }) => source)).toEqual([1, 2, 3].map(() => `/v2/datasets/${dataset}`));
  expect(events.filter(({ subject }) => subject === '1').map(({ data }) => data.version)).toEqual([1, 2]);
  await drain();
  expect(receiver.received).toHaveLength(3);
});

test('deliveries of mode "pull" are written and neither sent nor loaded', async () => {
  const { write, change, drain, progress, receiver, id, outbox } = await openDelivery(undefined, { mode: 'pull' });
  await write(change('1', 'Open'), change('2', 'Open'));
  expect(await drain()).toEqual({ ended: false, more: false, summary: NOTHING_WAITS });
  expect(receiver.received).toEqual([]);
  expect((await outbox.find(id, 2))?.event.about).toMatch(/\/2$/);
  expect(await progress.get(id)).toMatchObject({ sequence: 2, loadedThrough: 2, open: [], counts: { pending: 0 } });
});

test('the feed holds the pushed deliveries with the same ids and bytes in the same order', async () => {
  const { write, change, drain, receiver, subscriptions, outbox, progress, id, database, dataset } = await openDelivery(
    undefined,
    { ordering: { mode: 'strict' } },
  );
  const mintFeed = createFeedFanOut({
    ...{ outbox, progress, baseUrl: 'http://slipway.test' },
    streamOf: () => createStreamLog<LogEntry>({ database, collection: collections.streams, stream: dataset }),
  });
  const subscription = await subscriptions.get(id);
  if (subscription === undefined) throw new Error('it is gone');
  for (let n = 0; n < 5; n += 1) await write(change(String(n), 'Open'), change('9', n % 2 === 0 ? 'Open' : 'Filled'));
  await Promise.all([mintFeed(subscription, 4), drain(), mintFeed(subscription, 100)]);
  await drain();
  const { head } = await mintFeed(subscription, 100);
  expect(head).toBe(10);
  const sent: object[] = [];
  for await (const { event: notice } of outbox.walk(id, 1, 'up')) sent.push({ id: notice.id, body: notice.body });
  expect(receiver.received.map((got) => ({ id: got.id, body: got.body }))).toEqual(sent);
});

test('a receiver that reports a repeated event as new loses its level, and is not probed again', async () => {
  const { write, change, drain, ledger, interventions, subscriptions, id } = await openDelivery((_, response) => {
    response.writeHead(200, { 'webhook-receipt': 'new' }).end();
  });
  const proven = { level: 'L2', receipts: 'tombstone', checked_at: '2026-01-01T00:00:00.000Z' } as const;
  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, ...proven } }));
  await write(change('1', 'Open'));
  await drain();
  expect((await subscriptions.get(id))?.status).toMatchObject(proven);
  const at = new Date().toISOString();
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, at, actor: 'ana' });
  await interventions.add(id, [1], { after: 0 });
  await drain();
  expect((await subscriptions.get(id))?.status).toMatchObject({
    ...{ state: 'active', level: 'L0', receipts: 'none' },
    probe: { steps: [{ expected: 'webhook-receipt: duplicate', ok: false }] },
  });
});
