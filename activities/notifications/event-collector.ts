import type { EventMatcher } from '../../notifications/events/event-matcher.js';
import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import type { OutgoingEvent } from '../../notifications/delivery/cloud-event.js';
import type { SourcePosition, SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { createEventBatch, type EventBatch, type EventFault, MOST_EVENTS } from './event-batch.js';
import {
  declaredBy,
  type EventStream,
  findGap,
  positionAfter,
  recallDeclaration,
  releasedAt,
} from './source-position.js';

export interface EventCollectorOptions {
  matcher: EventMatcher;
  streamOf: (name: string) => EventStream;
  /** Called with the data of each new event. */
  check?: SchemaCheck;
  onFault?: (fault: EventFault) => void;
  now: () => Date;
}

export interface CollectedEvents {
  events: readonly OutgoingEvent[];
  /** Positions after the events. */
  sources: SourcePositions;
  /** The streams were not read to their ends. */
  more: boolean;
}

/** Reads the matching events of several streams in batches. */
export function createEventCollector(options: EventCollectorOptions) {
  const { matcher, streamOf, check, onFault = () => {}, now } = options;
  /** An entry whose events fill more than one batch: an import may release a million changes with one. */
  let unfinished: { entry: StreamEntry; events: SourceEvent[] } | undefined;

  /** Another process may have read past a declaration. @returns false while it cannot be read: no other one may be used */
  async function isDeclared(stream: string, { declaredAt }: SourcePosition): Promise<boolean> {
    if (declaredAt === undefined || matcher.specOf(stream).position === declaredAt) return true;
    const recalled = await recallDeclaration(streamOf(stream), declaredAt);
    if (recalled?.declared !== undefined) matcher.declared(stream, recalled.declared);
    return recalled !== undefined;
  }

  async function eventsOf(stream: string, source: SourcePosition, entry: StreamEntry): Promise<SourceEvent[]> {
    if (unfinished?.entry.token === entry.token) return unfinished.events;
    const events = await readEvents(stream, source, entry);
    unfinished = events.length > MOST_EVENTS ? { entry, events } : undefined;
    return events;
  }

  async function readEvents(stream: string, source: SourcePosition, entry: StreamEntry): Promise<SourceEvent[]> {
    if (entry.kind === 'schema') matcher.declared(stream, declaredBy(entry));
    if (source.heldFrom !== undefined && entry.kind === 'changes') return [];
    const released = entry.kind === 'release' ? await releasedAt(streamOf(stream), source, entry.position) : [];
    return eventsOfStream(stream, matcher.specOf(stream), entry, released);
  }

  /** @returns the position after purged entries, or undefined at the end of the stream */
  async function skipPurged(
    stream: string,
    source: SourcePosition,
    batch: EventBatch,
  ): Promise<SourcePosition | undefined> {
    const gap = await findGap(stream, source, streamOf(stream), now().toISOString());
    if (gap === undefined) return undefined;
    if (gap.declared !== undefined) matcher.declared(stream, gap.declared);
    batch.add(gap.event);
    return gap.source;
  }

  /** @returns the next position, or undefined when the stream cannot be read further now */
  async function readNext(
    stream: string,
    source: SourcePosition,
    batch: EventBatch,
  ): Promise<SourcePosition | undefined> {
    const entry = await streamOf(stream).read(source.position + 1);
    if (entry === undefined) return skipPurged(stream, source, batch);
    if (!(await isDeclared(stream, source))) return undefined;
    const found = await eventsOf(stream, source, entry);
    const index = batch.addEntry(found, source);
    return index < found.length ? { ...source, index } : positionAfter(source, entry);
  }

  return async function collect(from: SourcePositions): Promise<CollectedEvents> {
    const batch = createEventBatch(matcher, { ...(check && { check }), onFault });
    const sources: Record<string, SourcePosition> = { ...from };
    for (const [stream, start] of Object.entries(from)) {
      for (let source = start; !batch.isFull();) {
        const next = await readNext(stream, source, batch);
        if (next === undefined) break;
        source = next;
        sources[stream] = next;
      }
    }
    return { events: batch.events, sources, more: batch.isFull() };
  };
}
