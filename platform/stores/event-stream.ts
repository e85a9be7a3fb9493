import type { HeartbeatEntry } from '../kinds/log-entry.js';
import type { EventEntry, PlatformEvent } from '../kinds/platform-event.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';
import { createLogEnd } from './log-end.js';
import { createLogRetention } from './log-retention.js';
import { createStreamLog } from './stream-log.js';

/** An event, or a heartbeat, which a watch appends to record that nothing happened. */
export type EventStreamEntry = EventEntry | HeartbeatEntry;

/**
 * Events outside of datasets in one order. An event can be appended twice (its writer died before the acknowledgement,
 * or two processes complete the work of a third); the record under its key names the one position that counts.
 */
export interface EventStream {
  /** Appends an event unless its position is recorded already. @throws unavailable: the caller tries again */
  publish(event: PlatformEvent): Promise<void>;
  /** Appends many events of different subjects; events of one subject keep their order when two callers append them. */
  publishAll(events: readonly PlatformEvent[]): Promise<void>;
  read(position: number): Promise<EventStreamEntry | undefined>;
  /** Whether an entry is at the recorded position of its event. */
  counts(entry: EventEntry): Promise<boolean>;
  /** Position of the newest entry. */
  end(): Promise<number>;
  /** Removes the oldest entries before a time, a limited number per call. @returns how many; 0: there are no more */
  purge(before: Date): Promise<number>;
}

type Mark = Row & { position: number };

export interface EventStreamOptions {
  database: Database;
  /** Such as `pipeline`. */
  stream: string;
  now?: () => Date;
}

export function createEventStream({ database, stream, now = database.now }: EventStreamOptions): EventStream {
  const marks = database.table<Mark>(collections.events);
  const log = createStreamLog<EventStreamEntry>({ database, collection: collections.streams, stream });
  const retention = createLogRetention({
    ...{ database, log, stream },
    onRemove: (entries) => marks.removeAll(entries.flatMap((entry) => (entry.kind === 'event' ? entry.event.key : []))),
  });
  const end = createLogEnd({ log, retention, now });

  async function counts({ event: { key }, position }: EventEntry): Promise<boolean> {
    const mark = await marks.get(key);
    if (mark !== undefined) return mark.position === position;
    if (await marks.insert({ _id: key, position })) return true;
    return (await marks.get(key))?.position === position;
  }

  async function publishAll(events: readonly PlatformEvent[]): Promise<void> {
    const known = await Promise.all(events.map(({ key }) => marks.get(key)));
    const fresh = events.filter((_, index) => known[index] === undefined);
    if (fresh.length === 0) return;
    const appended: EventEntry[] = [];
    for (const event of fresh) {
      const entry = await end.append({ kind: 'event', event });
      if (entry.kind === 'event') appended.push(entry);
    }
    await Promise.all(appended.map(counts));
  }

  return {
    counts,
    async read(position) {
      const entry = await log.read(position);
      if (entry?.kind !== 'event' || (await counts(entry))) return entry;
      return { ...entry, repeated: true };
    },
    publish: (event) => publishAll([event]),
    publishAll,
    end: () => end.position(),
    // The newest entry is kept: it holds the next position.
    purge: async (before) => retention.purge({ before: await end.position(), olderThan: before.toISOString() }),
  };
}
