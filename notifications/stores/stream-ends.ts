import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createLogEnd, type LogEnd } from '../../platform/stores/log-end.js';
import { createLogRetention } from '../../platform/stores/log-retention.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';
import type { StreamEntry } from '../kinds/stream-entry.js';

/** Returns the position of the newest entry of a stream, a few reads after each look at it; 0: it has none. */
export type ReadStreamEnd = (stream: string) => Promise<number>;

export function createStreamEnds({ database }: { database: Database }): ReadStreamEnd {
  const ends = new Map<string, LogEnd<StreamEntry>>();

  function open(stream: string): LogEnd<StreamEntry> {
    const log = createStreamLog<StreamEntry>({ database, collection: collections.streams, stream });
    return createLogEnd({ log, retention: createLogRetention({ database, log, stream }) });
  }

  return (stream) => {
    const end = ends.get(stream) ?? open(stream);
    ends.set(stream, end);
    return end.position();
  };
}
