import { createActivateSettings } from '../../activities/notifications/activate-settings.js';
import type { EventFault } from '../../activities/notifications/event-batch.js';
import { createFeedFanOut } from '../../activities/notifications/feed-fan-out.js';
import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import type { FeedSource } from '../../api/notifications/feed-page.js';
import type { Database } from '../../platform/stores/database.js';
import { createLogTails } from '../../notifications/stores/log-tails.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';

export interface FeedContext {
  database: Database;
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  baseUrl: string;
  /** Called with the data of each new event. */
  check?: SchemaCheck;
  /** Called with each event that fails by a bug. */
  onFault?: (fault: EventFault) => void;
  onError?: (err: unknown) => void;
}

/** Opens the feeds of a process; each stream is read once for all of them. */
export function openFeed({
  database,
  outbox,
  progress,
  baseUrl,
  check = () => {},
  onFault = () => {},
  onError,
}: FeedContext) {
  const tails = createLogTails({ database, ...(onError && { onError }) });
  const streamOf = (stream: string) => ({
    read: (position: number) => tails.readOn(stream, position),
    beginning: (mostMs?: number) => tails.beginning(stream, mostMs),
  });
  const source: FeedSource = {
    fanOut: createFeedFanOut({ outbox, progress, streamOf, baseUrl, check, onFault }),
    listen: (listener) => tails.listen(listener),
  };
  return { source, bringIntoForce: createActivateSettings({ outbox, progress }), stop: () => tails.stop() };
}
