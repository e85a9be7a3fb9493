import { expect, test } from 'vitest';
import { createMemoryRows } from '../../receiver/memory.js';
import type { ReceiptStore } from '../../receiver/store.js';
import { effectFirst, markFirst } from '../../receiver/without-transactions.js';

const notice = (timestamp = 10) => ({ id: 'a', timestamp, body: new Uint8Array() });
const nothing = async () => undefined;

/** Two processes with one database. */
function twoOf(create: (rows: ReturnType<typeof createMemoryRows>) => ReceiptStore<undefined>) {
  const rows = createMemoryRows();
  return { rows, one: create(rows), other: create(rows) };
}

/** Creates an effect that ends when the test ends it. */
function createSlowEffect() {
  let end: (err?: Error) => void = () => undefined;
  let begun: () => void = () => undefined;
  const started = new Promise<void>((done) => (begun = done));
  const ended = new Promise<void>((done, fail) => (end = (err) => (err ? fail(err) : done())));
  const effect = () => {
    begun();
    return ended;
  };
  return { effect, started, end: (err?: Error) => end(err) };
}

test('mark first: while another process runs the effect its result is unknown, until the lease ends', async () => {
  let now = 0;
  const { one, other } = twoOf((rows) => markFirst(rows, { now: () => now, leaseSeconds: 60 }));
  const slow = createSlowEffect();
  const taking = one.take(notice(), slow.effect);
  await slow.started;
  expect(await other.take(notice(), nothing)).toBe('busy');
  expect([await other.find('a'), await other.refuse('a', 10)]).toEqual(['busy', 'busy']);
  now = 60_001; // as if the other process were gone: its effect is not begun a second time
  expect(await other.take(notice(), nothing)).toBe('duplicate');
  expect([await other.find('a'), await other.refuse('a', 10)]).toEqual(['received', 'received']);
  slow.end();
  expect(await taking).toBe('new');
});

test('mark first: an effect that throws gives the id back, and the tombstone that was there', async () => {
  const { one, other } = twoOf((rows) => markFirst(rows));
  const fail = () => Promise.reject(new Error('no'));
  await expect(one.take(notice(), fail)).rejects.toThrow('no');
  expect(await other.find('a')).toBe('unknown');
  await one.refuse('a', 5);
  await expect(one.take(notice(6), fail)).rejects.toThrow('no');
  expect(await other.find('a')).toBe('refused');
  expect(await other.take(notice(5), nothing)).toBe('refused');
  expect(await other.take(notice(6), nothing)).toBe('new');
});

test('mark first: two processes at once run one effect', async () => {
  const { one, other } = twoOf((rows) => markFirst(rows));
  let effects = 0;
  const effect = async () => void (effects += 1);
  const taken = await Promise.all([one, other, one, other].map((store) => store.take(notice(), effect)));
  expect(effects).toBe(1);
  expect(taken.filter((answer) => answer === 'new')).toHaveLength(1);
});

test('effect first: two processes at once may both run it, which is what the name says', async () => {
  const { one, other } = twoOf((rows) => effectFirst(rows));
  const [first, second] = [createSlowEffect(), createSlowEffect()];
  const both = Promise.all([one.take(notice(), first.effect), other.take(notice(), second.effect)]);
  await Promise.all([first.started, second.started]);
  first.end();
  second.end();
  expect(await both).toEqual(['new', 'new']);
  expect(await one.take(notice(), nothing)).toBe('duplicate');
});

test('effect first: a tombstone that another process puts during the effect gives way to what happened', async () => {
  const { one, other } = twoOf((rows) => effectFirst(rows));
  const slow = createSlowEffect();
  const taking = one.take(notice(), slow.effect);
  await slow.started;
  expect(await other.refuse('a', 10)).toBe('refused');
  slow.end();
  expect(await taking).toBe('new');
  expect(await other.find('a')).toBe('received');
});

test('a row that changes all the time is an error, not a hang', async () => {
  const rows = { ...createMemoryRows(), insert: async () => false };
  const contended = { code: 'store.contended' };
  await expect(markFirst(rows).take(notice(), nothing)).rejects.toMatchObject(contended);
  await expect(effectFirst(rows).refuse('a', 1)).rejects.toMatchObject(contended);
});

test('ids are kept for 35 days unless another time is said', async () => {
  let now = 0;
  for (const [keepDays, days] of [
    [undefined, 35],
    [3, 3],
  ] as const) {
    for (const create of [markFirst, effectFirst]) {
      now = 0;
      const store = create(createMemoryRows(), { now: () => now, ...(keepDays && { keepDays }) });
      await store.take(notice(), nothing);
      now = days * 86_400_000;
      await store.purge();
      expect(await store.find('a')).toBe('received');
      now += 1;
      await store.purge();
      expect(await store.find('a')).toBe('unknown');
    }
  }
});
