import { createReplica } from '../../../reference/dataset/replica.js';
import type { LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createChangeRecords } from '../../../reference/stores/change-records.js';
import { createChangeWriter, type Write } from '../../../reference/stores/change-writer.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database } from '../../../platform/stores/database.js';
import { createLogFollower } from '../../../platform/stores/log-follower.js';
import { createStreamLog } from '../../../platform/stores/stream-log.js';

/** Rows are `{ word }`; generation n of the declaration takes no word that begins with the digit n. */
export const declare = (schema: number): LogContent => ({
  kind: 'schema',
  spec: DatasetSpec.parse({ title: String(schema), fields: { word: { type: 'text' } } }),
  schema,
  actor: 'test',
});

/** The parts of one process for one dataset. */
export function openProcess(database: Database, dataset: string, more: { ownerMs?: number; now?: () => Date } = {}) {
  const replica = createReplica({
    accepts: ({ title }, text) => !text.includes(`"word":"${title}`),
    rewrite: (_, text) => text,
  });
  const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: dataset });
  const follower = createLogFollower<LogEntry>({ log, apply: (entry) => replica.apply(entry), ...more });
  const records = createChangeRecords({ database, dataset });
  const writer = createChangeWriter({ records, follower, view: replica, ownerMs: 50, ...more });

  const put = (id: string, word: string, expected?: number): Write => ({
    id,
    actor: 'test',
    decide: (current, { version, at }) => {
      if (expected !== undefined && (current?.version ?? 0) !== expected) {
        throw new SlipwayError('write.precondition', `version is ${current?.version ?? 0}`);
      }
      const times = `"created_at":"${at}","updated_at":"${at}"`;
      return { body: `{"id":"${id}","word":"${word}","version":${version},${times}}` };
    },
  });

  return { replica, log, follower, records, writer, put };
}
export type DatasetProcess = ReturnType<typeof openProcess>;

/** The state that readers of this process see: the word of every entity and its version. */
export function wordsOf({ replica: { rows, visible } }: DatasetProcess): Record<string, [number, string | null]> {
  const found: Record<string, [number, string | null]> = {};
  for (let row = 0; row < rows.end(); row += 1) {
    const id = rows.id(row);
    if (rows.findAt(id, visible) !== row) continue;
    const word = rows.isDeleted(row) ? null : String(JSON.parse(rows.bytes(row).toString()).word);
    found[String(id)] = [rows.version(row), word];
  }
  return found;
}
