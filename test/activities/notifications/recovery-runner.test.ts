import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecoveryRunner, type RecoveryRunnerOptions } from '../../../activities/notifications/recovery.js';
import { createAttemptLedger } from '../../../notifications/stores/attempts.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';
import { createRecoveries } from '../../../notifications/stores/recoveries.js';
import { type Recovery, type RecoveryPosition, RecoverySpec } from '../../../notifications/kinds/recovery.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { newDeliverySubscription, outboxBlock, START } from './delivery-parts.js';

type State = 'delivered' | 'failed' | 'pending';

/** Opens an outbox whose deliveries have these states, in blocks of two. */
async function open(states: readonly State[]) {
  const database = createMemoryDatabase();
  const [outbox, ledger, recoveries] = [
    createOutbox({ database }),
    createAttemptLedger({ database }),
    createRecoveries({ database }),
  ];
  const subscription = newDeliverySubscription();
  const { id } = subscription;
  for (let from = 1, block = 1; from <= states.length; from += 2, block += 1) {
    const subjects = states.slice(from - 1, from + 1).map((_, index) => String(from + index));
    await outbox.insert(id, outboxBlock(block, from, subjects));
  }
  for (const [index, state] of states.entries()) {
    if (state === 'pending') continue;
    const at = new Date(START).toISOString();
    await ledger.settle({ subscription: id, sequence: index + 1 }, { episode: 0, state, by: 'operator', at });
  }
  const clock = { ms: START };
  const requeued: [number, number][] = [];
  const room = { left: Infinity };
  /** @param from position of the drain before */
  const runner = (from?: RecoveryPosition, more: Partial<RecoveryRunnerOptions> = {}) =>
    createRecoveryRunner({
      ...{ subscription, outbox, ledger, recoveries, from },
      requeue: async (sequence, episode) => {
        requeued.push([sequence, episode]);
        room.left -= 1;
      },
      hasRoom: () => room.left > 0,
      now: () => new Date(clock.ms),
      ...more,
    });
  const order = (kind: Recovery['kind'], spec: object = {}, range: { first?: number; last?: number } = {}) => {
    const whole = { first: 1, last: states.length, ...range };
    const at = new Date(START).toISOString();
    return recoveries.add(id, { kind, spec: RecoverySpec.parse(spec), ...whole, actor: 'ana', at }, 0);
  };
  return { id, clock, requeued, room, runner, order, recoveries, ledger };
}

/** Steps while the position moves; the clock jumps to the next step in between. */
async function runToEnd(runner: ReturnType<Awaited<ReturnType<typeof open>>['runner']>, clock: { ms: number }) {
  await runner.refresh();
  for (let turns = 0; turns < 1_000 && runner.nextAt() < Infinity; turns += 1) {
    while (await runner.step());
    if (runner.nextAt() < Infinity) clock.ms = Math.max(clock.ms + 1, runner.nextAt());
  }
}

test('without an order there is nothing to do', async () => {
  const { runner } = await open(['failed']);
  const idle = runner();
  await idle.refresh();
  expect([await idle.step(), idle.position, idle.nextAt(), idle.hasPassed(1, 1)]).toEqual([
    ...[false, undefined, Infinity, false],
  ]);
});

test('a recover reopens the failed deliveries of its range, a replay also those that were delivered', async () => {
  const states: State[] = ['failed', 'delivered', 'pending', 'failed', 'failed'];
  const run = async (kind: Recovery['kind']) => {
    const { id, runner, order, clock, requeued, recoveries } = await open(states);
    const number = await order(kind, {}, { first: 2, last: 4 });
    await runToEnd(runner(), clock);
    return [requeued, await recoveries.readEnd(id, number)];
  };
  expect(await run('recover')).toMatchObject([[[4, 1]], { examined: 3, matched: 1, reopened: 1 }]);
  expect(await run('replay')).toMatchObject([
    [
      [2, 1],
      [4, 1],
    ],
    { examined: 3, matched: 3, reopened: 2 },
  ]);
});

test('no more are reopened in a second than the order allows', async () => {
  const { id, runner, order, clock, ledger } = await open(Array<State>(5).fill('failed'));
  await order('recover', { per_second: 2 });
  await runToEnd(runner(), clock);
  const facts = await Promise.all([1, 2, 3, 4, 5].map((sequence) => ledger.read({ subscription: id, sequence })));
  const times = facts.flatMap(({ reopenings }) => reopenings.map(({ at }) => Date.parse(at)));
  expect(times).toHaveLength(5);
  for (const [index, at] of times.entries()) expect((times[index + 2] ?? Infinity) - at).toBeGreaterThanOrEqual(1_000);
});

test('without room in the window the order waits, and continues with the delivery that it stopped at', async () => {
  const { runner, order, requeued, room, clock } = await open(['failed', 'failed', 'failed']);
  await order('recover', { per_second: 1_000 });
  room.left = 0;
  const waiting = runner();
  await waiting.refresh();
  expect([await waiting.step(), waiting.nextAt(), waiting.position?.next]).toEqual([false, Infinity, 1]);
  room.left = 1;
  await runToEnd(waiting, clock);
  expect([requeued, waiting.position?.next, waiting.position?.done]).toEqual([[[1, 1]], 2, false]);
  room.left = Infinity;
  await runToEnd(waiting, clock);
  expect(requeued.map(([sequence]) => sequence)).toEqual([1, 2, 3]);
  expect(waiting.position).toMatchObject({ examined: 3, matched: 3, reopened: 3, done: true });
});

test('orders run one after the other, and a finished one is passed for every delivery', async () => {
  const { runner, order, requeued, clock } = await open(['failed', 'failed', 'failed']);
  await order('recover', { per_second: 1_000 }, { last: 1 });
  await order('recover', { per_second: 1_000 }, { first: 2 });
  const both = runner();
  await both.refresh();
  expect(both.position?.number).toBe(1);
  await both.refresh(); // while one runs, the next one is not loaded
  expect([both.position?.number, both.hasPassed(1, 1), both.hasPassed(2, 1)]).toEqual([1, false, false]);
  await runToEnd(both, clock);
  expect(both.position).toMatchObject({ number: 2, done: true });
  expect([both.hasPassed(1, 99), both.hasPassed(2, 99), both.hasPassed(3, 1)]).toEqual([true, true, false]);
  expect(requeued.map(([sequence]) => sequence)).toEqual([1, 2, 3]);
});

test.each([
  ['a range without deliveries', { first: 3, last: 2 }],
  ['a range beyond the outbox', { first: 50, last: 60 }],
])('%s ends the order with nothing', async (_, range) => {
  const { id, runner, order, clock, recoveries, requeued } = await open(['failed', 'failed']);
  const number = await order('replay', {}, range);
  await runToEnd(runner(), clock);
  expect(await recoveries.readEnd(id, number)).toMatchObject({ matched: 0, reopened: 0 });
  expect(requeued).toEqual([]);
});

test('a step that fails leaves the position, and the next drain opens no second episode', async () => {
  const { id, runner, order, clock, requeued, ledger } = await open(['failed', 'failed', 'failed']);
  await order('recover', { per_second: 1_000 });
  let calls = 0;
  const breaking = runner(undefined, {
    requeue: async () => {
      if ((calls += 1) === 2) throw new Error('the worker stopped');
    },
  });
  await breaking.refresh();
  await expect(runToEnd(breaking, clock)).rejects.toThrow('the worker stopped');
  await runToEnd(runner(breaking.position), clock);
  for (const sequence of [1, 2, 3]) {
    const { reopenings } = await ledger.read({ subscription: id, sequence });
    expect(reopenings.map(({ episode, order }) => [episode, order])).toEqual([[1, 1]]);
  }
  // The delivery whose requeue failed is queued by the second drain.
  expect(requeued.map(([sequence]) => sequence)).toContain(2);
});

test('wherever drains are cut, each matching delivery is reopened once and the counts are those of one drain', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<State>('delivered', 'failed', 'pending'), { minLength: 1, maxLength: 12 }),
      fc.constantFrom<Recovery['kind']>('recover', 'replay'),
      fc.array(fc.nat(3), { maxLength: 6 }),
      async (states, kind, cuts) => {
        const { id, runner, order, clock, ledger, recoveries } = await open(states);
        const number = await order(kind, { per_second: 1_000 });
        let saved: RecoveryPosition | undefined;
        for (const steps of cuts) {
          const cut = runner(saved);
          await cut.refresh();
          // A drain that is killed has moved on and not saved its position.
          for (let step = 0; step < steps; step += 1) await cut.step();
          clock.ms += 5;
          if (steps % 2 === 0) saved = cut.position;
        }
        await runToEnd(runner(saved), clock);
        const settled = states.filter((state) => state !== 'pending').length;
        const failed = states.filter((state) => state === 'failed').length;
        const reopened = kind === 'replay' ? settled : failed;
        const facts = await Promise.all(
          states.map((_, index) => ledger.read({ subscription: id, sequence: index + 1 })),
        );
        expect(facts.flatMap(({ reopenings }) => reopenings)).toHaveLength(reopened);
        expect(facts.every(({ reopenings }) => reopenings.length <= 1)).toBe(true);
        expect(await recoveries.readEnd(id, number)).toMatchObject({
          ...{ examined: states.length, reopened },
          matched: kind === 'replay' ? states.length : failed,
        });
      },
    ),
    { numRuns: 60 },
  ));
