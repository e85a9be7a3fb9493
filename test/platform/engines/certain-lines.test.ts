import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { certainLines, type ContainerLook } from '../../../platform/engines/docker/certain-lines.js';
import type { LogLine, LogPosition } from '../../../platform/kinds/log.js';

const lineOf = (text: string): LogLine => ({ at: '2026-01-02T03:04:05.000000000Z', stream: 'stdout', text });

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Scene {
  /** They come at once, or as the generator says; then nothing more until the end. */
  followed: AsyncIterable<string> | string[];
  /** One after the other; the last one again and again. */
  looks: ContainerLook[];
  /** All lines that the engine has; none for a container that was removed. */
  stored?: string[];
  isOpen?: boolean;
}

/** Follows until the end of the test. */
function follow({ followed, looks, stored = [], isOpen = true }: Scene) {
  const stop = new AbortController();
  const seen: ContainerLook[] = [];
  const passed: string[] = [];
  async function* source(): AsyncGenerator<LogLine> {
    for await (const text of followed) yield lineOf(text);
    if (isOpen) await sleep(60_000, undefined, { signal: stop.signal });
  }
  async function look(): Promise<ContainerLook> {
    const now = looks[Math.min(seen.length, looks.length - 1)] ?? 'running';
    seen.push(now);
    return now;
  }
  async function* readOn(from: LogPosition | undefined): AsyncGenerator<LogLine> {
    for (const text of stored.slice(from?.lines ?? 0)) yield lineOf(text);
  }
  async function read(): Promise<void> {
    const following = { from: undefined, look, readOn, signal: stop.signal };
    for await (const { text } of certainLines(source(), following)) passed.push(text);
  }
  const done = read();
  ends.push(async () => {
    stop.abort();
    await done.catch(() => undefined);
  });
  return { done, seen, passed, stop };
}

async function* oneThenTwo(): AsyncGenerator<string> {
  yield 'one';
  await sleep(200);
  yield 'two';
}

test('a line is passed on after one look, at once, and a quiet program is not looked at', async () => {
  const { seen, passed } = follow({ followed: ['one'], looks: ['running'] });
  await sleep(100);
  expect(passed).toEqual(['one']);
  await sleep(1_200);
  expect(seen).toEqual(['running']);
});

test('the lines of a container that has ended are read again: the followed ones lack some', async () => {
  async function* lacking(): AsyncGenerator<string> {
    yield 'one';
    await sleep(50);
    yield 'four';
  }
  const stored = ['one', 'two', 'three', 'four', 'five'];
  const { done, passed } = follow({ followed: lacking(), looks: ['running', 'ended'], stored });
  await done;
  expect(passed).toEqual(stored);
});

test('so are those of a stream that ends before a look', async () => {
  const { done, passed } = follow({ followed: ['two'], looks: ['running'], stored: ['one', 'two'], isOpen: false });
  await done;
  expect(passed).toEqual(['one', 'two']);
});

test('of a container that was removed all lines that came are passed on', async () => {
  const { done, passed } = follow({ followed: ['one', 'two'], looks: ['ended'], isOpen: false });
  await done;
  expect(passed).toEqual(['one', 'two']);
});

test('also those that come after the removal was seen', async () => {
  const { done, passed, seen } = follow({ followed: oneThenTwo(), looks: ['ended'], isOpen: false });
  await done;
  expect(passed).toEqual(['one', 'two']);
  expect(seen).toEqual(['ended']);
});

test('lines of a paused or stopping container wait until it goes on, and more are taken meanwhile', async () => {
  const { passed, seen } = follow({ followed: oneThenTwo(), looks: ['ending', 'running'] });
  await sleep(600);
  expect(passed).toEqual([]);
  await expect.poll(() => passed, { timeout: 5_000 }).toEqual(['one', 'two']);
  expect(seen).toEqual(['ending', 'running']);
});

test('lines that follow each other cost one look in a second', async () => {
  const all = Array.from({ length: 100 }, (_, n) => String(n));
  async function* steady(): AsyncGenerator<string> {
    for (const text of all) {
      yield text;
      await sleep(25);
    }
  }
  const startedAt = Date.now();
  const { passed, seen } = follow({ followed: steady(), looks: ['running'] });
  await expect.poll(() => passed, { timeout: 20_000 }).toEqual(all);
  expect(seen.length).toBeLessThanOrEqual(2 + (Date.now() - startedAt) / 1_000);
});

test('a flood is looked at for each megabyte', async () => {
  const flood = Array<string>(35).fill('a'.repeat(100_000));
  const { passed, seen } = follow({ followed: flood, looks: ['running'] });
  await expect.poll(() => passed.length, { timeout: 10_000 }).toBe(35);
  expect(seen.length).toBeGreaterThanOrEqual(4);
});

test('no more than a megabyte is taken of a flood of a container that is stopping', async () => {
  let taken = 0;
  async function* flood(): AsyncGenerator<string> {
    for (; taken < 35; taken += 1) yield 'a'.repeat(100_000);
  }
  const { passed, seen } = follow({ followed: flood(), looks: ['ending'] });
  await sleep(2_500);
  expect([passed.length, taken < 13]).toEqual([0, true]);
  expect(seen.length).toBeLessThanOrEqual(4);
});

test('an abort ends it, also while it waits for a container that is stopping', async () => {
  const { done, stop } = follow({ followed: Array<string>(20).fill('a'.repeat(100_000)), looks: ['ending'] });
  await sleep(100);
  stop.abort(new Error('enough'));
  await expect(done).rejects.toThrow('enough');
});
