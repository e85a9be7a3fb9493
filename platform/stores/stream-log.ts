import type { LogEntryBase } from '../kinds/log-entry.js';
import { entryId } from '../kinds/log-entry.js';
import type { Database, Row } from './database.js';

/** The entries of one stream: positions are dense from 1; inserting an entry at the next one commits it. */
export interface StreamLog<E extends LogEntryBase> {
  read(position: number): Promise<E | undefined>;
  /** @returns false when the position is taken */
  insert(entry: E): Promise<boolean>;
  /** Removes the entries from the first position to the last, in order. */
  removeRange(first: number, last: number): Promise<void>;
}

export interface StreamLogOptions {
  database: Database;
  /** Collection; several streams may share it. */
  collection: string;
  /** Such as the name of a dataset. */
  stream: string;
}

export function createStreamLog<E extends LogEntryBase>({
  database,
  collection,
  stream,
}: StreamLogOptions): StreamLog<E> {
  const table = database.table<Row & { entry: E }>(collection);
  return {
    read: async (position) => (await table.get(entryId(stream, position)))?.entry,
    insert: (entry) => table.insert({ _id: entryId(stream, entry.position), entry }),
    removeRange: (first, last) =>
      table.removeAll(Array.from({ length: last - first + 1 }, (_, index) => entryId(stream, first + index))),
  };
}
