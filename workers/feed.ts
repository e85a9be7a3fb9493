import { createFeedMinting } from '../activities/feed-minting.js';
import type { FeedSource } from '../api/index.js';
import type { LogEntry } from '../resources/change.js';
import { collections } from '../stores/collections.js';
import type { Database } from '../stores/database.js';
import { createLogTails } from '../stores/log-tails.js';
import type { Outbox } from '../stores/outbox.js';
import type { ProgressStore } from '../stores/progress.js';
import { createStreamLog } from '../stores/stream-log.js';

export interface FeedContext {
  database: Database;
  outbox: Outbox;
  progress: ProgressStore;
  baseUrl: string;
  onError?: (err: unknown) => void;
}

/** Feeds of one process; each stream that somebody reads is followed once for all of them. */
export function openFeed({ database, outbox, progress, baseUrl, onError }: FeedContext) {
  const tails = createLogTails({ database, ...(onError && { onError }) });
  const streamOf = (stream: string) => {
    const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream });
    // The tail may be a moment behind; a reader finds what was acknowledged before it asked.
    return { read: async (position: number) => (await tails.read(stream, position)) ?? log.read(position) };
  };
  const source: FeedSource = {
    mint: createFeedMinting({ outbox, progress, streamOf, baseUrl }),
    listen: (listener) => tails.listen(listener),
  };
  return { source, stop: () => tails.stop() };
}
