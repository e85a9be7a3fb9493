import { expect, onTestFinished, test } from 'vitest';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import type { SubscriptionProgress } from '../../../notifications/stores/subscription-progress.js';
import { createProgressStore } from '../../../notifications/stores/subscription-progress.js';
import type { Pace, Rank } from '../../../activities/notifications/pace.js';
import { createWakeUps } from '../../../workers/compose/wake-ups.js';
import { until } from '../../stack/scratch.js';

const START = Date.UTC(2026, 0, 1);
const AT = new Date(START).toISOString();

const AT_ONCE: Pace = { turn: async () => {} };

function open({ wakes = async () => {}, pace = AT_ONCE }: { wakes?: (id: string) => Promise<void>; pace?: Pace } = {}) {
  const progress = createProgressStore({ database: createMemoryDatabase() });
  const live = new Set<string>();
  const woken: string[] = [];
  const errors: unknown[] = [];
  const delivering = new Set<string>();
  const clock = { ms: START };
  const wakeUps = createWakeUps({
    ...{ progress, live, pace, delivering, now: () => clock.ms, onError: (err) => void errors.push(err) },
    wake: async (id) => {
      woken.push(id);
      await wakes(id);
    },
  });
  onTestFinished(wakeUps.stop);
  return {
    ...{ ...wakeUps, progress, live, delivering, woken, errors, clock },
    /** A drain saved that it has read the stream up to there. */
    save: (id: string, position: number, { leaseMs, delivered = 0 }: { leaseMs?: number; delivered?: number } = {}) =>
      progress.put(id, {
        ...{ block: 0, sequence: 0, sources: { wine: { position, index: 0 } }, loadedThrough: 0, loadedBlock: 0 },
        ...{ open: [], interventions: 0, touched: [], breaker: {}, at: AT },
        counts: { pending: 0, held: 0, delivered, failed: 0, cancelled: 0 },
        ...(leaseMs !== undefined && { leasedUntil: new Date(clock.ms + leaseMs).toISOString() }),
      } satisfies SubscriptionProgress),
    settle: () => new Promise((resolve) => setTimeout(resolve, 5)),
  };
}
const event = (position: number) => ({ stream: 'wine', position });

test('a drain that is live in another process reads the event itself', async () => {
  const { request, retry, save, woken, clock, settle } = open();
  await save('sub', 4, { leaseMs: 5_000 });
  request('sub', event(5));
  await settle();
  clock.ms += 2_000;
  await save('sub', 5);
  retry();
  await settle();
  expect(woken).toEqual([]);
});

test('a drain that was killed before it read the event is followed by another one', async () => {
  const { request, retry, save, woken, clock, settle } = open();
  await save('sub', 4, { leaseMs: 5_000 });
  request('sub', event(5));
  await settle();
  clock.ms += 4_999;
  retry();
  await settle();
  expect(woken).toEqual([]);
  clock.ms += 1_000;
  retry();
  await until(() => woken.length === 1);
});

test('while another process delivers, its progress is read again for a new event alone', async () => {
  const { request, retry, save, woken, clock, settle, progress } = open();
  const get = progress.get.bind(progress);
  let reads = 0;
  progress.get = async (id) => {
    reads += 1;
    return get(id);
  };
  await save('sub', 4, { leaseMs: 5_000 });
  request('sub', event(5));
  await until(() => reads === 1);
  clock.ms += 1_000;
  retry();
  await settle();
  expect(reads).toBe(1);
  await save('sub', 5); // the drain ended before its lease
  request('sub', event(6));
  await until(() => woken.length === 1);
});

test.each(['by its progress', 'by an attempt of this process'])(
  'one that is known to deliver, %s, is looked at before the others',
  async (how) => {
    const { request, save, woken, know, progress, delivering } = open();
    await save('good', 4, { delivered: 7 });
    if (how === 'by its progress') know('good', await progress.get('good'));
    else delivering.add('good');
    for (let n = 0; n < 20; n += 1) {
      await save(`silent${n}`, 4);
      request(`silent${n}`, event(5));
    }
    request('good', event(5));
    await until(() => woken.length === 21);
    expect(woken.slice(0, 3)).toContain('good');
  },
);

test('a drain that is live in this process needs no wake-up, and one is sent when it ended without the event', async () => {
  const { request, retry, live, save, woken, settle } = open();
  live.add('sub');
  request('sub', event(5));
  retry();
  await settle();
  expect(woken).toEqual([]);
  await save('sub', 4);
  live.delete('sub');
  retry();
  await until(() => woken.length === 1);
});

test('an event that a drain has read meanwhile sends nothing', async () => {
  const { request, save, woken, settle } = open();
  await save('sub', 5);
  request('sub', event(5));
  await settle();
  expect(woken).toEqual([]);
});

test('a subscription that has to be woken is woken whatever was read', async () => {
  const { request, save, woken } = open();
  await save('sub', 5, { leaseMs: 5_000 });
  request('sub');
  await until(() => woken.length === 1);
});

test('when Temporal does not answer, it is asked again', async () => {
  const failures = [new Error('unavailable')];
  const { request, retry, clock, woken, errors } = open({
    wakes: async () => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
    },
  });
  request('sub');
  await until(() => errors.length === 1);
  clock.ms += 2_000;
  retry();
  await until(() => woken.length === 2);
  expect(errors).toHaveLength(1);
});

test('subscriptions are woken in turn, those that take deliveries before the others', async () => {
  const turns: { rank: Rank; begin: () => void }[] = [];
  const turn: Pace['turn'] = ({ rank }) => new Promise((begin) => turns.push({ rank, begin }));
  const { request, save, woken } = open({ pace: { turn } });
  await save('good', 4, { delivered: 7 });
  await save('silent', 4);
  for (const id of ['silent', 'new', 'good']) request(id, event(5));
  await until(() => turns.length === 3);
  expect(woken).toEqual([]);
  expect(turns.map(({ rank }) => rank).toSorted()).toEqual(['delivering', 'waiting', 'waiting']);
  turns.find(({ rank }) => rank === 'delivering')?.begin();
  await until(() => woken.length === 1);
  expect(woken).toEqual(['good']);
  for (const { begin } of turns) begin();
  await until(() => woken.length === 3);
});

test('one that delivers is woken while the progress of others is waited for', async () => {
  const { request, save, woken, clock, progress } = open();
  await save('good', 4, { delivered: 7 });
  request('good', event(5));
  await until(() => woken.length === 1);
  clock.ms += 1_000;
  const get = progress.get.bind(progress);
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  onTestFinished(() => answer());
  progress.get = async (id) => {
    if (id !== 'good') await answered;
    return get(id);
  };
  for (let n = 0; n < 20; n += 1) request(`silent${n}`, event(6));
  request('good', event(6));
  await until(() => woken.length === 2);
  expect(woken).toEqual(['good', 'good']);
  answer();
  await until(() => woken.length === 22);
});

test('a subscription that is gone is forgotten, and after the stop nothing is sent', async () => {
  const { request, retry, forget, stop, live, woken, settle } = open();
  live.add('sub');
  request('sub');
  forget('sub');
  live.delete('sub');
  retry();
  await settle();
  const stopping = stop();
  request('sub_late');
  await stopping;
  await settle();
  expect(woken).toEqual([]);
});

test('those that are woken without an event come one by one, and an event overtakes them', async () => {
  const { request, woken } = open();
  for (let n = 0; n < 100; n += 1) request(`sub${n}`);
  request('hot', event(5));
  request('sub90', event(5));
  await until(() => woken.length >= 3);
  expect(woken.toSorted()).toEqual(['hot', 'sub0', 'sub90']);
  await until(() => woken.length >= 6);
  expect(woken.slice(3, 6)).toEqual(['sub1', 'sub2', 'sub3']);
});

test('one that is forgotten while it waits for its turn is not woken', async () => {
  const { request, forget, woken } = open();
  for (const id of ['a', 'b', 'c']) request(id);
  forget('b');
  await until(() => woken.length === 2);
  expect(woken).toEqual(['a', 'c']);
});
