import { parseSettings } from '../../config.js';
import type { LogEntry } from '../../reference/dataset/change.js';
import { collections } from '../../platform/stores/collections.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';
import type { TestPlatform } from './platform.js';

/** When the log took each version of an entity: the time that watches go by, a little behind that of the write. */
export async function logTimes({ environment }: TestPlatform, dataset: string, id: string): Promise<number[]> {
  const { MONGODB_URI, SLIPWAY_DATABASE } = parseSettings(environment);
  const database = await connectDatabase(MONGODB_URI, SLIPWAY_DATABASE);
  try {
    const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: dataset });
    const times: number[] = [];
    for (let position = 1; ; position += 1) {
      const entry = await log.read(position);
      if (entry === undefined) return times;
      if (entry.kind === 'changes' && entry.changes.some((change) => change.id === id))
        times.push(Date.parse(entry.at));
    }
  } finally {
    await database.close();
  }
}
