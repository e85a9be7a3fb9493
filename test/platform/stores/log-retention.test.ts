import { beforeEach, expect, test } from 'vitest';
import type { LogEntryBase } from '../../../platform/kinds/log-entry.js';
import { createLogRetention } from '../../../platform/stores/log-retention.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createStreamLog, type StreamLog } from '../../../platform/stores/stream-log.js';

const STREAM = 'watch';
const OLD = '2026-01-01T00:00:00.000Z';
const LIMIT = '2026-02-01T00:00:00.000Z';
const YOUNG = '2026-02-02T00:00:00.000Z';

let database: ReturnType<typeof createMemoryDatabase>;
let log: StreamLog<LogEntryBase>;
beforeEach(async () => {
  database = createMemoryDatabase();
  log = createStreamLog({ database, collection: 'log', stream: STREAM });
  for (let position = 1; position <= 250; position += 1) {
    await log.insert({ position, at: position <= 230 ? OLD : YOUNG, token: String(position) });
  }
});

const open = (onRemove?: (entries: readonly LogEntryBase[]) => Promise<void>) =>
  createLogRetention({ database, log, stream: STREAM, ...(onRemove && { onRemove }) });

test('a call removes a limited number, and the next call goes on there, up to the first young entry', async () => {
  const removed: number[] = [];
  const note = async (entries: readonly LogEntryBase[]): Promise<void> =>
    void removed.push(...entries.map(({ position }) => position));
  const counts = [];
  for (let call = 0; call < 4; call += 1) {
    counts.push(await open(note).purge({ before: 250, olderThan: LIMIT, most: 110 }));
  }
  expect(counts).toEqual([110, 110, 10, 0]);
  expect(removed).toEqual(Array.from({ length: 230 }, (_, index) => index + 1));
  expect([await log.read(230), (await log.read(231))?.position]).toEqual([undefined, 231]);
  expect(await open().purgedTo()).toBe(230);
});

test('an entry that is kept whatever its age ends the removal', async () => {
  expect(await open().purge({ before: 7, olderThan: LIMIT })).toBe(6);
  expect((await log.read(7))?.position).toBe(7);
});

test('the next call completes a removal that was interrupted', async () => {
  const dies = async () => Promise.reject(new Error('killed'));
  await expect(open(dies).purge({ before: 250, olderThan: LIMIT, most: 100 })).rejects.toThrow('killed');
  // No reader looks for what is going to be removed.
  expect([await open().purgedTo(), (await log.read(1))?.position]).toEqual([100, 1]);
  const removed: number[] = [];
  const note = async (entries: readonly LogEntryBase[]): Promise<void> => void removed.push(entries.length);
  expect(await open(note).purge({ before: 250, olderThan: LIMIT, most: 100 })).toBe(100);
  expect(removed).toEqual([100, 100]);
  expect([await log.read(1), await log.read(100), await log.read(200)]).toEqual([undefined, undefined, undefined]);
  expect(await open(note).purge({ before: 250, olderThan: LIMIT })).toBe(30);
  expect(removed).toEqual([100, 100, 30]); // a complete removal is not repeated
});
