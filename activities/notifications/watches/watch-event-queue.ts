import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import { type EntityGapEvent, toWatchEvent } from '../../../notifications/events/watch-event.js';

/** The events that watches emitted and that are not published yet, in the order of their due times. */
export function createWatchEventQueue() {
  const events: { watch: Watch; event: EntityGapEvent }[] = [];
  return {
    get size() {
      return events.length;
    },
    push: (watch: Watch, event: EntityGapEvent): void => void events.push({ watch, event }),
    /** Returns the next events, each about another entity: the stream keeps the order of one entity only between batches. */
    nextBatch(most: number, now: () => Date): PlatformEvent[] {
      const batch = new Map<string, PlatformEvent>();
      for (const { watch, event } of events) {
        const next = toWatchEvent(watch, event, now());
        if (batch.size === most || batch.has(next.subject)) break;
        batch.set(next.subject, next);
      }
      return [...batch.values()];
    },
    /** Removes the events of a batch that was published. */
    remove: (count: number): void => void events.splice(0, count),
  };
}
