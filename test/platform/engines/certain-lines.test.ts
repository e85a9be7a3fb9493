import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { certainLines, type ContainerLook } from '../../../platform/engines/docker/certain-lines.js';
import type { LogLine } from '../../../platform/kinds/log.js';

const lineOf = (text: string): LogLine => ({ at: '2026-01-02T03:04:05.000000000Z', stream: 'stdout', text });

/**
 * Reads a source that says nothing more after its texts.
 * @param looks what is seen at each look; the last one again and again
 */
function follow(texts: AsyncIterable<string> | string[], looks: ContainerLook[]) {
  const held: LogLine[] = [];
  const seen: ContainerLook[] = [];
  const passed: string[] = [];
  const stop = new AbortController();
  async function* source(): AsyncGenerator<LogLine> {
    for await (const text of texts) yield lineOf(text);
    await sleep(60_000, undefined, { signal: stop.signal });
  }
  const look = async () => {
    const now = looks[Math.min(seen.length, looks.length - 1)] ?? 'running';
    seen.push(now);
    return now;
  };
  async function read(): Promise<void> {
    for await (const { text } of certainLines(source(), { held, look, signal: stop.signal })) passed.push(text);
  }
  return { read, held, seen, passed, stop: () => stop.abort() };
}

test('a line is passed on after one look, at once, and a quiet program is not looked at', async () => {
  const { read, seen, passed, stop } = follow(['one'], ['running']);
  const reading = read();
  await sleep(100);
  expect(passed).toEqual(['one']);
  await sleep(1_200);
  expect(seen).toEqual(['running']);
  stop();
  await expect(reading).rejects.toThrow('aborted');
});

test('lines of a container that has ended are held back for the reading that has them all', async () => {
  const { read, held, passed } = follow(['one', 'two'], ['ended']);
  await read();
  expect(passed).toEqual([]);
  expect(held.map(({ text }) => text)).toEqual(['one', 'two']);
});

test('lines of a paused or stopping container wait until it goes on', async () => {
  const { read, held, passed, seen, stop } = follow(['one'], ['ending', 'running']);
  const reading = read();
  await sleep(500);
  expect([passed, held.length]).toEqual([[], 1]);
  await sleep(1_000);
  expect([passed, held.length]).toEqual([['one'], 0]);
  expect(seen).toEqual(['ending', 'running']);
  stop();
  await expect(reading).rejects.toThrow('aborted');
});

test('lines that follow each other cost one look in a second, and few are held', async () => {
  async function* steady(): AsyncGenerator<string> {
    for (let n = 0; n < 100; n++) {
      yield String(n);
      await sleep(25);
    }
  }
  const { read, passed, seen, stop } = follow(steady(), ['running']);
  const reading = read();
  await expect.poll(() => passed.length, { timeout: 10_000 }).toBe(100);
  expect(passed).toEqual(Array.from({ length: 100 }, (_, n) => String(n)));
  // 100 lines take 2.5 s or, on a slow machine, more.
  expect(seen.length).toBeLessThan(20);
  stop();
  await expect(reading).rejects.toThrow('aborted');
});

test('a flood is held a megabyte at a time', async () => {
  const line = 'a'.repeat(100_000);
  const { read, held, seen, passed, stop } = follow(Array<string>(35).fill(line), ['running']);
  let most = 0;
  const reading = read();
  await expect.poll(() => ((most = Math.max(most, held.length)), passed.length), { timeout: 10_000 }).toBe(35);
  expect(most).toBeLessThanOrEqual(10);
  expect(seen.length).toBeGreaterThanOrEqual(4);
  stop();
  await expect(reading).rejects.toThrow('aborted');
});

test('the end of the stream ends it, and its lines are held: they may not be all', async () => {
  const held: LogLine[] = [];
  async function* cut(): AsyncGenerator<LogLine> {
    yield lineOf('one');
  }
  const lines = certainLines(cut(), { held, look: async () => 'running', signal: new AbortController().signal });
  expect(await lines.next()).toEqual({ done: true, value: undefined });
  expect(held).toHaveLength(1);
});
