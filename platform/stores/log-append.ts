import { randomUUID } from 'node:crypto';
import type { LogEntryBase } from '../kinds/log-entry.js';
import { insertOnce, type InsertResult } from './insert-once.js';
import type { StreamLog } from './stream-log.js';

/** An entry without its position, time and token. */
export type Content<E extends LogEntryBase> = E extends LogEntryBase ? Omit<E, keyof LogEntryBase> : never;

/** A position in a log, and the time of the entry there. */
export type EntryOffset = Pick<LogEntryBase, 'position' | 'at'>;

/** Returns the entry that follows an offset. Its time is not before that of the entry there. */
export function entryAfter<E extends LogEntryBase>(before: EntryOffset, content: Content<E>, now: Date): E {
  const time = now.toISOString();
  const base: LogEntryBase = {
    position: before.position + 1,
    at: time > before.at ? time : before.at,
    token: randomUUID(),
  };
  // Its two halves are together one member of the union.
  return { ...content, ...base } as unknown as E;
}

/** @throws unavailable: the entry may or may not be in the log */
export function insertEntry<E extends LogEntryBase>(log: StreamLog<E>, entry: E): Promise<InsertResult<E>> {
  return insertOnce<E>({
    insert: () => log.insert(entry),
    read: () => log.read(entry.position),
    isOwn: ({ token }) => token === entry.token,
  });
}
