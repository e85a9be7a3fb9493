import { expect, test, vi } from 'vitest';
import { type RoundOptions, type RoundPart, runTurn } from '../../../activities/shared/round.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { LoopItem } from '../../../platform/kinds/loop-items.js';
import type { RoundResult } from '../../../platform/kinds/round.js';
import { newAttempt } from './environment.js';

const turn = (parts: readonly RoundPart[], options?: RoundOptions, attempt = newAttempt()): Promise<RoundResult> =>
  attempt.run(() => runTurn(parts, options));
const done = (name: string, acted: string[] = []): LoopItem => ({
  name,
  act: async () => ({ acted: acted.push(name) > 0 ? 1 : 0 }),
});
const failing = (name: string): LoopItem => ({
  name,
  act: () => Promise.reject(new SlipwayError('unavailable', 'secret', { publicMessage: 'the bucket is away' })),
});
const partOf = (name: string, ...items: LoopItem[]): RoundPart => ({ name, items: () => items });

test('an item that fails is skipped, named and counted; the others are acted on', async () => {
  let skipped = 0;
  const counted: unknown[] = [];
  const options = { onSkipped: () => void (skipped += 1), onDone: (what: object) => void counted.push(what) };
  const parts = [partOf('pipeline', done('a'), failing('b'), done('c')), partOf('import', done('d'))];
  const result = await turn(parts, options);
  expect(result).toEqual({ done: { acted: 3, skipped: 1 }, skipped: ['pipeline b: the bucket is away'] });
  expect([skipped, counted.length]).toEqual([1, 3]);
});

test('an item that hangs is skipped after its time', async () => {
  const hangs: LoopItem = { name: 'a', act: () => new Promise(() => {}) };
  const result = await turn([partOf('pipeline', hangs, done('b'))], { itemMs: 10 });
  expect(result).toMatchObject({ done: { acted: 1, skipped: 1 }, skipped: [expect.stringContaining('pipeline a: ')] });
});

test('a part whose items cannot be read is reported, and holds up no other', async () => {
  const unread: RoundPart = {
    name: 'container',
    // eslint-disable-next-line require-yield -- the list itself fails
    async *items() {
      throw new SlipwayError('unavailable', 'no answer', { publicMessage: 'the engine does not answer' });
    },
  };
  const result = await turn([unread, partOf('import', done('a'))]);
  expect(result).toMatchObject({ done: { acted: 1 }, failed: ['container: the engine does not answer'] });
});

test('a turn without time acts on one item, and the next turn continues where it stopped', async () => {
  const acted: string[] = [];
  const parts = [partOf('one', done('a', acted), done('b', acted)), partOf('two', done('a', acted))];
  const first = await turn(parts, { turnMs: 0 });
  expect(first.next).toEqual({ part: 'one', item: 'b' });
  const second = await turn(parts, { turnMs: 0, from: first.next });
  expect(second.next).toEqual({ part: 'two', item: 'a' });
  const third = await turn(parts, { turnMs: 0, from: second.next });
  expect([third.next, acted]).toEqual([undefined, ['a', 'b', 'a']]);
});

/** @returns a part whose items end when the test ends them, and the names of those that have started */
function held(names: string[], atOnce: number) {
  const started: string[] = [];
  const ends = new Map<string, (end?: Error) => void>();
  const items = names.map((name) => ({
    name,
    act: () => {
      started.push(name);
      return new Promise<{ acted: number }>((resolve, reject) =>
        ends.set(name, (err) => (err ? reject(err) : resolve({ acted: 1 }))),
      );
    },
  }));
  const end = async (name: string, err?: Error): Promise<void> => {
    await until(() => ends.has(name));
    ends.get(name)?.(err);
  };
  return { part: { ...partOf('pipeline', ...items), atOnce }, started, end };
}
const until = (isSo: () => boolean): Promise<void> => vi.waitFor(() => expect(isSo()).toBe(true), { interval: 1 });

test('a part acts on some items at once, and one that waits holds up no other', async () => {
  const { part, started, end } = held(['a', 'b', 'c', 'd'], 2);
  const ended = turn([part, partOf('import', done('e', started))]);
  await until(() => started.length === 2);
  expect(started).toEqual(['a', 'b']);
  await end('b', new SlipwayError('unavailable', 'secret', { publicMessage: 'the bucket is away' }));
  await end('c');
  await end('d');
  await until(() => started.length === 4);
  // The next part begins after all items of this one.
  await end('a');
  expect(await ended).toEqual({ done: { acted: 4, skipped: 1 }, skipped: ['pipeline b: the bucket is away'] });
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a turn whose time is over waits for the items it started, and goes on after them', async () => {
  const { part, started, end } = held(['a', 'b', 'c', 'd'], 3);
  let time = 0;
  const ended = turn([part], { turnMs: 10, now: () => time });
  await until(() => started.length === 3);
  time = 10;
  await end('b');
  await end('a');
  await end('c');
  expect(await ended).toEqual({ done: { acted: 3 }, skipped: [], next: { part: 'pipeline', item: 'd' } });
  expect(started).toEqual(['a', 'b', 'c']);
});

test('items that cannot be read further leave those that were started to their end', async () => {
  const { part, started, end } = held(['a', 'b'], 3);
  async function* broken(): AsyncGenerator<LoopItem> {
    yield* part.items() as LoopItem[];
    throw new SlipwayError('unavailable', 'no answer', { publicMessage: 'the database does not answer' });
  }
  const ended = turn([{ ...part, items: broken }]);
  await until(() => started.length === 2);
  await end('a');
  await end('b');
  expect(await ended).toEqual({
    ...{ done: { acted: 2 }, skipped: [] },
    failed: ['pipeline: the database does not answer'],
  });
});

test('a canceled turn ends at once, and acts on nothing more', async () => {
  const attempt = newAttempt();
  const acted: string[] = [];
  let release = (): void => {};
  const waits: LoopItem = {
    name: 'a',
    act: () => {
      attempt.cancel();
      return new Promise((resolve) => (release = () => resolve(undefined)));
    },
  };
  await expect(turn([partOf('one', waits, done('b', acted))], {}, attempt)).rejects.toThrow('CANCELLED');
  release();
  await new Promise(setImmediate);
  expect(acted).toEqual([]);
});

test('a result names some of many skipped items, and counts all of them', async () => {
  const items = Array.from({ length: 30 }, (_, number) => failing(String(number)));
  const result = await turn([partOf('pipeline', ...items)]);
  expect([result.skipped.length, result.done]).toEqual([20, { skipped: 30 }]);
});
