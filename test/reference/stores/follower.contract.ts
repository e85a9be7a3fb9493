import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LogEntryBase } from '../../../platform/kinds/log-entry.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Database } from '../../../platform/stores/database.js';
import { createLogFollower } from '../../../platform/stores/log-follower.js';
import { createStreamLog, type StreamLog } from '../../../platform/stores/stream-log.js';

type Note = LogEntryBase & { text: string };

/** One stream with several followers, as in several processes. */
export function followerContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const newLog = () => createStreamLog<Note>({ database, collection: 'log', stream: randomUUID() });
  const follow = (log: StreamLog<Note>, more: object = {}) => {
    const seen: string[] = [];
    return { seen, follower: createLogFollower<Note>({ log, apply: ({ text }) => void seen.push(text), ...more }) };
  };

  test('insertAll inserts what is free and names what was taken', async () => {
    const table = database.table<{ _id: string; n: number }>('numbers');
    expect(await table.insertAll([])).toEqual([]);
    const ids = Array.from({ length: 30 }, () => randomUUID());
    expect(await table.insertAll(ids.slice(0, 20).map((_id) => ({ _id, n: 1 })))).toEqual([]);
    const taken = await table.insertAll(ids.map((_id) => ({ _id, n: 2 })));
    expect(taken.sort()).toEqual(ids.slice(0, 20).sort());
    const found = await Promise.all(ids.map(async (id) => (await table.get(id))?.n));
    expect(found).toEqual(ids.map((_, index) => (index < 20 ? 1 : 2)));
  });

  test('writers that append at once leave no hole, and every follower sees the same order once', async () => {
    const log = newLog();
    const writers = [follow(log), follow(log), follow(log)];
    const texts = writers.flatMap((_, w) => Array.from({ length: 10 }, (__, n) => `${w}-${n}`));
    await Promise.all(texts.map(async (text) => writers[Number(text[0])]?.follower.append(() => ({ text }))));
    await Promise.all(writers.map(({ follower }) => follower.catchUp()));
    const [first] = writers;
    expect(first?.seen.slice().sort()).toEqual(texts.slice().sort());
    for (const { seen, follower } of writers) {
      expect(seen).toEqual(first?.seen);
      expect(follower.position).toBe(30);
    }
  });

  test('what is appended is decided on the state that it follows', async () => {
    const log = newLog();
    const [one, other] = [follow(log), follow(log)];
    await one.follower.append(() => ({ text: 'taken' }));
    const asked: number[] = [];
    const entry = await other.follower.append(() => {
      asked.push(other.seen.length);
      return other.seen.includes('taken') ? undefined : { text: 'mine' };
    });
    expect(entry).toBeUndefined();
    expect(asked).toEqual([0, 1]);
  });

  test('time never goes back along positions', async () => {
    const log = newLog();
    let now = new Date('2026-01-01T00:00:10Z');
    const { follower } = follow(log, { now: () => now });
    await follower.append(() => ({ text: 'a' }));
    now = new Date('2026-01-01T00:00:05Z');
    const late = await follower.append(() => ({ text: 'b' }));
    expect(late?.at).toBe('2026-01-01T00:00:10.000Z');
    expect(follower.at).toBe('2026-01-01T00:00:10.000Z');
  });

  test('a running follower gets what others append, and says how fresh it is', async () => {
    const log = newLog();
    const [reader, writer] = [follow(log), follow(log)];
    expect(reader.follower.lagMs()).toBe(Infinity);
    reader.follower.start();
    await writer.follower.append(() => ({ text: 'a' }));
    expect(await reader.follower.waitFor(1, 10_000)).toBe(true);
    expect(await reader.follower.waitFor(2, 1)).toBe(false);
    // The entry is applied before the read that finds the end behind it.
    await vi.waitFor(() => expect(reader.follower.lagMs()).toBeLessThan(10_000), 10_000);
    await reader.follower.stop();
    expect(reader.seen).toEqual(['a']);
  });

  test('an append whose answer was lost is not made twice', async () => {
    const log = newLog();
    let answers = 0;
    const lossy: StreamLog<Note> = {
      ...log,
      insert: async (entry) => {
        const inserted = await log.insert(entry);
        if (answers++ === 0) throw new SlipwayError('unavailable', 'the answer was lost');
        return inserted;
      },
    };
    const { follower, seen } = follow(lossy);
    await follower.append(() => ({ text: 'once' }));
    expect(seen).toEqual(['once']);
    expect(follower.position).toBe(1);
  });
}
