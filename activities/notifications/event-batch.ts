import type { EventMatcher } from '../../notifications/events/event-matcher.js';
import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';

export const MOST_EVENTS = 200;
const MOST_BYTES = 2 ** 20;
/** Entries that are read for one batch when nothing matches. */
const MOST_ENTRIES = 500;

/** Collects the events of one outbox block, up to a limit of events, bytes and entries that were read. */
export function createEventBatch(
  matcher: Pick<EventMatcher, 'matches' | 'payload' | 'specOf'>,
  check: SchemaCheck = () => {},
) {
  const events: SourceEvent[] = [];
  let [entries, bytes] = [0, 0];
  const isFull = (): boolean => events.length >= MOST_EVENTS || bytes >= MOST_BYTES || entries >= MOST_ENTRIES;

  function add(event: SourceEvent): void {
    events.push(event);
    const data = event.data(matcher.payload);
    check(event, data, matcher.specOf(event.stream));
    bytes += data.length;
  }

  return {
    events: events as readonly SourceEvent[],
    isFull,
    /** Adds an event whether it matches or not. */
    add,
    /**
     * Adds the matching events of one entry, from `source.index` on.
     * @returns the index where the batch became full, or the number of events
     */
    addEntry(found: readonly SourceEvent[], { index: start }: Pick<SourcePosition, 'index'>): number {
      entries += 1;
      let index = start;
      for (; index < found.length && !isFull(); index += 1) {
        const event = found[index];
        if (event !== undefined && matcher.matches(event)) add(event);
      }
      return index;
    },
  };
}
export type EventBatch = ReturnType<typeof createEventBatch>;
