import { afterEach, expect, test } from 'vitest';
import { createFeedFanOut } from '../../../activities/notifications/feed-fan-out.js';
import { createEventMatcher } from '../../../notifications/events/event-matcher.js';
import { createSchemaCheck } from '../../../notifications/events/schema-check.js';
import { platformEventOf } from '../../../notifications/events/stream-events.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import { createDatasetLogRetention } from '../../../reference/stores/dataset-log-retention.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import { until } from '../../e2e/until.js';
import { emittedEvents } from '../../platform/stores/emitted-events.js';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(behave?: Behavior, spec: object = {}) {
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  await scene.subscribe({ url: receiver.url, schedule: [0, ...Array<number>(15).fill(0)], ...spec });
  const emitted = async () =>
    (await emittedEvents(scene.database, 'ops')).map((event) => {
      requireFormed(event);
      return { type: event.type, subject: event.subject, ...(JSON.parse(event.data) as object) };
    });
  return { ...scene, receiver, emitted };
}

function requireFormed(event: PlatformEvent): void {
  const faults: unknown[] = [];
  const check = createSchemaCheck({ onFault: (fault) => void faults.push(fault) });
  const source = platformEventOf('ops', { kind: 'event', event, position: 1, at: event.at, token: 't' });
  check(source, source.data('full'), { fields: {} });
  expect(faults).toEqual([]);
}

test('a failing endpoint emits one event, and another one when it accepts deliveries again', async () => {
  let answer = 503;
  const { write, change, drain, emitted, id, subscriptions } = await open((_, response) =>
    response.writeHead(answer).end(),
  );
  await write(change('1', 'Open'));
  await drain();
  await drain(); // the breaker is open: nothing is sent, and no event is emitted
  expect(await emitted()).toMatchObject([
    { type: 'ops.subscription.failing', subject: `subscription/${id}`, id, name: 'test', reason: 'status 503' },
  ]);
  expect((await subscriptions.get(id))?.status.failing?.since).toMatch(/^20\d\d-/);
  answer = 200;
  await drain({ now: () => new Date(Date.now() + 3_600_000) });
  expect((await emitted()).map(({ type }) => type)).toEqual(['ops.subscription.failing', 'ops.subscription.recovered']);
  expect((await subscriptions.get(id))?.status.failing).toBeUndefined();
});

test('a disabled subscription emits an event with the reason', async () => {
  const { write, change, drain, emitted } = await open((_, response) => response.writeHead(410).end());
  await write(change('1', 'Open'));
  await drain();
  await drain();
  expect(await emitted()).toMatchObject([
    { type: 'ops.subscription.disabled', state: 'disabled', reason: 'the endpoint asked for it, with status 410' },
  ]);
});

test('a receiver that loses its level emits an event; a new receiver with a lower level does not', async () => {
  const { subscriptions, id, emitted } = await open();
  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, level: 'L2' } }));
  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, level: 'L1' } }));
  expect(await emitted()).toMatchObject([{ type: 'ops.subscription.lowered', level: 'L1' }]);
  await subscriptions.update(id, (each) => ({
    ...each,
    generation: each.generation + 1,
    status: { ...each.status, level: 'L0' },
  }));
  expect(await emitted()).toHaveLength(1);
});

test('a subscription gets health events of others, and never its own', async () => {
  const { subscriptions, id, database } = await open(undefined, { types: ['ops.*'] });
  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'disabled' } }));
  const [event] = await emittedEvents(database, 'ops');
  const subscription = await subscriptions.get(id);
  if (event === undefined || subscription === undefined) throw new Error('no event was emitted');
  const source = platformEventOf('ops', { kind: 'event', event, position: 1, at: event.at, token: 't' });
  expect(createEventMatcher(subscription).matches(source)).toBe(false);
  expect(createEventMatcher({ ...subscription, id: 'sub_other' }).matches(source)).toBe(true);
});

test('at the limit of waiting deliveries drains and feeds write no more, and a backlog event is emitted before', async () => {
  let isUp = false;
  const { write, change, drain, emitted, outbox, progress, subscriptions, id, dataset, database } = await open(
    (_, response) => response.writeHead(isUp ? 200 : 503).end(),
    { schedule: [0, 3_600] },
  );
  for (let n = 1; n <= 8; n += 1) await write(change(String(n), 'Open'));
  await drain({ mostUnsettled: 10 });
  expect(await emitted()).toMatchObject([{ type: 'ops.subscription.backlog', pending: 8 }]);
  for (let n = 9; n <= 12; n += 1) await write(change(String(n), 'Open'));
  await drain({ mostUnsettled: 10 });
  expect(await progress.get(id)).toMatchObject({ sequence: 12 }); // one block may go beyond the limit
  for (let n = 13; n <= 15; n += 1) await write(change(String(n), 'Open'));
  await drain({ mostUnsettled: 10 });
  expect(await progress.get(id)).toMatchObject({ sequence: 12 });

  const subscription = await subscriptions.get(id);
  if (subscription === undefined) throw new Error('there is no subscription');
  const tails = createLogTails({ database });
  closing.push(() => tails.stop());
  const streamOf = (name: string) => ({ read: (position: number) => tails.readOn(name, position) });
  const shared = { outbox, progress, streamOf, baseUrl: 'http://slipway.test' };
  expect(await createFeedFanOut({ ...shared, mostUnsettled: 10 })(subscription, 100)).toMatchObject({ head: 12 });

  isUp = true;
  await drain({ mostUnsettled: 10, now: () => new Date(Date.now() + 7_200_000) });
  expect(await progress.get(id)).toMatchObject({ sequence: 15, counts: { delivered: 15 } });
  expect((await subscriptions.get(id))?.status.backlog).toBeUndefined();
  expect(await emitted()).toHaveLength(3); // backlog, failing and recovered
  expect(await progress.get(id)).toMatchObject({ sources: { [dataset]: { position: 15 } } });
});

test('purged entries that were not read emit a gap event with the next sequence', async () => {
  const { write, change, drain, receiver, dataset, database, log } = await open();
  await write(change('1', 'Open'));
  await drain();
  for (let n = 2; n <= 6; n += 1) await write(change(String(n), 'Open'));
  const retention = createDatasetLogRetention({ database, log, stream: dataset });
  expect(await retention.purge({ before: 5, olderThan: '9999' })).toBe(4);
  const tails = createLogTails({ database });
  closing.push(() => tails.stop());
  const streamOf = (name: string) => ({
    read: (position: number) => tails.read(name, position),
    readOn: (position: number) => tails.readOn(name, position),
    beginning: (mostMs?: number) => tails.beginning(name, mostMs),
  });
  await until('all of it', async () => {
    await drain({ streamOf, idleMs: 500 }); // the tail starts with the first read
    return receiver.received.length >= 4;
  });
  const emitted = receiver.received.map(({ body }) => JSON.parse(body));
  expect(emitted.map(({ type, sequence }) => [type, Number(sequence)])).toEqual([
    [`dataset.${dataset}.created`, 1],
    ['ops.gap', 2],
    [`dataset.${dataset}.created`, 3],
    [`dataset.${dataset}.created`, 4],
  ]);
  expect(emitted[1]).toMatchObject({
    subject: `stream/${dataset}`,
    data: { stream: dataset, after: 1, position: 4, entries: 3 },
  });
});
