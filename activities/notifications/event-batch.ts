import type { EventMatcher } from '../../notifications/events/event-matcher.js';
import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import type { OutgoingEvent } from '../../notifications/delivery/cloud-event.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';

/** An event that the platform failed to process: a bug. */
export interface EventFault {
  event: Pick<SourceEvent, 'id' | 'type' | 'stream' | 'position'>;
  reason: string;
  err: unknown;
}

export interface EventBatchOptions {
  /** Called with the data of each event; the event is delivered even when this throws. */
  check?: SchemaCheck;
  onFault?: (fault: EventFault) => void;
}

export const MOST_EVENTS = 200;
const MOST_BYTES = 2 ** 20;
/** Entries that are read for one batch when nothing matches. */
const MOST_ENTRIES = 500;

/** Collects the events of one outbox block, up to a limit of events, bytes and entries that were read. */
export function createEventBatch(
  matcher: Pick<EventMatcher, 'matches' | 'payload' | 'specOf'>,
  { check = () => {}, onFault = () => {} }: EventBatchOptions = {},
) {
  const events: OutgoingEvent[] = [];
  let [entries, bytes] = [0, 0];
  const isFull = (): boolean => events.length >= MOST_EVENTS || bytes >= MOST_BYTES || entries >= MOST_ENTRIES;

  function add(event: SourceEvent): void {
    const data = event.data(matcher.payload);
    events.push(event);
    bytes += data.length;
    try {
      check(event, data, matcher.specOf(event.stream));
    } catch (err) {
      onFault({ event, reason: 'its data could not be checked', err });
    }
  }

  /** Adds an event if it matches. One that fails is added with its fault: it must not stop the events after it. */
  function addMatching(event: SourceEvent): void {
    let reason = 'the filter could not be evaluated';
    try {
      if (!matcher.matches(event)) return;
      reason = 'its data could not be written';
      add(event);
    } catch (err) {
      events.push({ ...event, fault: `${reason}: ${err instanceof Error ? err.name : 'error'}` });
      onFault({ event, reason, err });
    }
  }

  return {
    events: events as readonly OutgoingEvent[],
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
        if (event !== undefined) addMatching(event);
      }
      return index;
    },
  };
}
export type EventBatch = ReturnType<typeof createEventBatch>;
