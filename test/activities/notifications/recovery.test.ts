import { afterEach, expect, test } from 'vitest';
import { type Recovery, RecoverySpec } from '../../../notifications/kinds/recovery.js';
import { until } from '../../e2e/until.js';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens a scene with six deliveries, of which 2, 4 and 6 have failed. */
async function open() {
  let isWell = false;
  const behave: Behavior = ({ body }, response) => {
    const isEven = Number(JSON.parse(body).subject) % 2 === 0;
    response.statusCode = isEven && !isWell ? 500 : 200;
    response.end();
  };
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  await scene.subscribe({ url: receiver.url, schedule: [0] });
  const subjects = ['1', '2', '3', '4', '5', '6'];
  await scene.write(...subjects.map((entity) => scene.change(entity, 'Open')));
  await scene.drain();
  isWell = true;
  const before = receiver.received.splice(0);
  expect(before).toHaveLength(6);
  const order = (kind: Recovery['kind'], spec: object = {}) =>
    scene.recoveries.add(
      scene.id,
      { kind, spec: RecoverySpec.parse(spec), first: 1, last: 6, actor: 'ana', at: new Date().toISOString() },
      0,
    );
  /** Sorted: deliveries of different entities have no order. */
  const emitted = () => receiver.received.map(({ body }) => JSON.parse(body).subject as string).toSorted();
  return { ...scene, receiver, before, order, emitted };
}

test('a failed delivery is sent again with the same id and bytes, and is counted by its new end', async () => {
  const { id, order, drain, receiver, before, recoveries, progress, emitted } = await open();
  expect(await progress.get(id)).toMatchObject({ counts: { delivered: 3, failed: 3 } });
  const number = await order('recover');
  await drain();
  expect(emitted()).toEqual(['2', '4', '6']);
  for (const { id: notice, body, timestamp } of receiver.received) {
    const old = before.find((each) => each.id === notice);
    expect(old?.body).toBe(body);
    expect(timestamp).toBeGreaterThan(old?.timestamp ?? Infinity);
  }
  expect(await recoveries.readEnd(id, number)).toMatchObject({ examined: 6, matched: 3, reopened: 3 });
  expect(await progress.get(id)).toMatchObject({ counts: { delivered: 6, failed: 0, pending: 0 } });
  await drain();
  expect(emitted()).toHaveLength(3);
});

test('a dry run counts and sends nothing; recoveries run one after the other', async () => {
  const { id, order, drain, recoveries, emitted } = await open();
  const numbers = [
    await order('recover', { dry_run: true }),
    await order('replay', { sequences: ['1', '5'] }),
    await order('replay', { types: ['dataset.other.*'] }),
  ];
  await drain();
  expect(numbers).toEqual([1, 2, 3]);
  const ends = await Promise.all(numbers.map((number) => recoveries.readEnd(id, number)));
  expect(ends).toMatchObject([
    { matched: 3, reopened: 0 },
    { matched: 2, reopened: 2 },
    { examined: 6, matched: 0, reopened: 0 },
  ]);
  expect(emitted()).toEqual(['1', '5']);
});

test('a filter is tested on the rows that events carry', async () => {
  const { id, order, drain, recoveries, emitted } = await open();
  const number = await order('replay', { filter: 'status == Open and (id == 3 or id == 4)' });
  const none = await order('replay', { filter: 'status == Filled' });
  await drain();
  expect(emitted()).toEqual(['3', '4']);
  expect(await recoveries.readEnd(id, number)).toMatchObject({ matched: 2, reopened: 2 });
  expect(await recoveries.readEnd(id, none)).toMatchObject({ matched: 0 });
});

test('a drain that is killed before it saves its position reopens no delivery twice', async () => {
  const { id, order, drain, progress, emitted, receiver } = await open();
  const old = await progress.get(id);
  if (old === undefined) throw new Error('it was drained');
  const number = await order('replay');
  await drain();
  expect(emitted()).toEqual(['1', '2', '3', '4', '5', '6']);
  await progress.put(id, old);
  await drain();
  await drain();
  expect(receiver.received).toHaveLength(6);
  expect(await progress.get(id)).toMatchObject({ recovery: { number, done: true, matched: 6, reopened: 6 } });
});

test.each([
  ['by one drain', { idleMs: 2_000 }],
  ['over the ends of drains', { idleMs: 300 }],
])('no more than was ordered are opened in a second, %s', async (_, lives) => {
  const { order, drain, ledger, id, progress } = await open();
  await order('replay', { per_second: 2 });
  await until('all of it', async () => {
    await drain(lives);
    return (await progress.get(id))?.recovery?.done;
  });
  const facts = await Promise.all([1, 2, 3, 4, 5, 6].map((sequence) => ledger.read({ subscription: id, sequence })));
  const times = facts.flatMap(({ reopenings }) => reopenings.map(({ at }) => Date.parse(at))).sort((a, b) => a - b);
  expect(times).toHaveLength(6);
  for (const [index, at] of times.entries()) expect((times[index + 2] ?? Infinity) - at).toBeGreaterThanOrEqual(1_000);
});
