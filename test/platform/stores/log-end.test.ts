import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { LogEntryBase } from '../../../platform/kinds/log-entry.js';
import { createLogEnd, findEnd, TRUSTED_MS } from '../../../platform/stores/log-end.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createStreamLog, type StreamLog } from '../../../platform/stores/stream-log.js';

type Note = LogEntryBase & { text: string };

const START = '2026-01-01T00:00:00.000Z';

let log: StreamLog<Note>;
let purgedTo: number;
let calls: number;

beforeEach(() => {
  const stored = createStreamLog<Note>({ database: createMemoryDatabase(), collection: 'log', stream: randomUUID() });
  calls = 0;
  purgedTo = 0;
  log = {
    read: (position) => ((calls += 1), stored.read(position)),
    insert: (entry) => ((calls += 1), stored.insert(entry)),
    removeRange: (first, last) => stored.removeRange(first, last),
  };
});

/** The end of the log as one process knows it. */
const openEnd = ({ now = () => new Date(START), monotonic = (): number => 0 } = {}) =>
  createLogEnd<Note>({ log, retention: { purgedTo: async () => purgedTo }, now, monotonic });

async function fill(from: number, to: number): Promise<void> {
  for (let position = from; position <= to; position += 1) {
    await log.insert({ position, at: START, token: randomUUID(), text: String(position) });
  }
  calls = 0;
}

test.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 1_023, 1_024, 1_025])(
  'the end of a log of %i entries is found',
  async (n) => {
    await fill(1, n);
    expect(await openEnd().position()).toBe(n);
  },
);

test('the end is found from an entry, or from the beginning that is kept', async () => {
  await fill(41, 60);
  purgedTo = 40;
  expect(await openEnd().position()).toBe(60);
  expect((await findEnd(log, { position: 59, at: START })).position).toBe(60);
  expect((await findEnd(log, { position: 60, at: START })).position).toBe(60);
});

test('a writer that did not append for long takes a few calls, however many entries others appended', async () => {
  const end = openEnd();
  expect((await end.append({ text: 'first' })).position).toBe(1);
  await fill(2, 20_000);
  expect((await end.append({ text: 'next' })).position).toBe(20_001);
  expect(calls).toBeLessThan(40);
});

test('a writer that is alone inserts, and reads nothing', async () => {
  const end = openEnd();
  await end.append({ text: '1' });
  calls = 0;
  await end.append({ text: '2' });
  expect(calls).toBe(1);
});

test('writers that append at once leave no hole, and each has the entry that it appended', async () => {
  const texts = Array.from({ length: 60 }, (_, n) => `note ${n}`);
  const ends = [openEnd(), openEnd(), openEnd()];
  const entries = await Promise.all(
    ends.flatMap((end, n) => texts.slice(20 * n, 20 * n + 20).map((text) => end.append({ text }))),
  );
  expect(entries.map(({ text }) => text)).toEqual(texts);
  expect(entries.map(({ position }) => position).sort((a, b) => a - b)).toEqual(texts.map((_, index) => index + 1));
  for (const entry of entries) expect(await log.read(entry.position)).toEqual(entry);
});

test('the time of an entry is not before that of the entry of another writer', async () => {
  await openEnd({ now: () => new Date('2026-01-01T01:00:00.000Z') }).append({ text: 'ahead' });
  const behind = await openEnd().append({ text: 'behind' });
  expect(behind.at).toBe('2026-01-01T01:00:00.000Z');
});

test('an end that was seen long ago may be purged: it is looked for again', async () => {
  let ms = 0;
  const end = openEnd({ monotonic: () => ms });
  await end.append({ text: '1' });
  await fill(2, 50);
  await log.removeRange(1, 49);
  purgedTo = 49;
  ms = TRUSTED_MS + 1;
  expect((await end.append({ text: '51' })).position).toBe(51);
});
