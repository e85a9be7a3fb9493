import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { declaredBy, recallDeclaration } from '../../activities/notifications/source-position.js';
import { typesOfChanges } from '../../notifications/events/dataset-events.js';
import type { EventMatcher } from '../../notifications/events/event-matcher.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import type { SourcePosition, SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { createReaderIndex, type ReaderIndex, type StreamReader } from './reader-index.js';

export interface EventLookoutOptions {
  tails: LogTails;
  /** Called for each entry with an event for a subscription, or with entries before it that are purged. */
  onEvent: (subscription: string, event: { stream: string; position: number }) => void;
  /** @param subscription the one that was skipped, if it was one alone */
  onError: (err: unknown, subscription?: string) => void;
  /** Before a stream that could not be read is read again. */
  retryMs?: number;
}

interface Reader extends StreamReader {
  id: string;
  matcher: EventMatcher;
}

/** Finds the subscriptions that an entry concerns. It reads each stream once for all of them, from the hindmost on. */
export function createEventLookout({ tails, onEvent, onError, retryMs = 1_000 }: EventLookoutOptions) {
  const readers = new Map<string, Reader>();
  const index = createReaderIndex<Reader>();
  /** Next position to read, by stream. */
  const next = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  /** Streams whose next read has not begun. */
  const queued = new Set<string>();
  const stopping = new AbortController();

  /** One object for equal declarations, so that the events of an entry are made once for all who go by it. */
  const declarations = new Map<string, DeclaredFields>();
  function intern(stream: string, declared: DeclaredFields): DeclaredFields {
    const known = declarations.get(stream);
    if (isDeepStrictEqual(known, declared)) return known ?? declared;
    declarations.set(stream, declared);
    return declared;
  }

  /** Reads one entry for the subscriptions that have not read it. */
  function match(stream: string, entry: StreamEntry): void {
    const declared = entry.kind === 'schema' ? intern(stream, declaredBy(entry)) : undefined;
    const eventsBy = createEventCache(stream, entry);
    for (const { id, matcher, read } of concerned(index, stream, entry)) {
      if ((read.get(stream) ?? Infinity) >= entry.position) continue;
      try {
        read.set(stream, entry.position);
        if (declared !== undefined) matcher.declared(stream, declared);
        if (entry.kind === 'release' || eventsBy(matcher).some((event) => matcher.matches(event)))
          onEvent(id, { stream, position: entry.position });
      } catch (err) {
        // The other subscriptions still get the entry, and the drain of this one says what is wrong with it.
        onError(err, id);
        onEvent(id, { stream, position: entry.position });
      }
    }
  }

  /** The drain of a subscription emits an event about entries that it has not read and that are gone. */
  function skipPurged(stream: string, purgedTo: number, declared: DeclaredFields | undefined): void {
    for (const { id, matcher, read } of index.of(stream)) {
      if ((read.get(stream) ?? Infinity) >= purgedTo) continue;
      read.set(stream, purgedTo);
      if (declared !== undefined) matcher.declared(stream, declared);
      onEvent(id, { stream, position: purgedTo });
    }
  }

  async function readOn(stream: string): Promise<void> {
    for (;;) {
      const position = next.get(stream) ?? 1;
      const entry = await tails.read(stream, position);
      if (entry === undefined) {
        const { purgedTo, declared } = await tails.beginning(stream);
        if (purgedTo < position) return;
        next.set(stream, Math.max(next.get(stream) ?? 1, purgedTo + 1));
        skipPurged(stream, purgedTo, declared);
        continue;
      }
      // A subscription that came meanwhile may have set it back.
      if (next.get(stream) === position) next.set(stream, position + 1);
      match(stream, entry);
    }
  }

  /** Reads a stream to its end: again after a read that has begun, but once for all calls until then. */
  function read(stream: string): void {
    if (queued.has(stream)) return;
    queued.add(stream);
    const begin = (): Promise<void> => {
      queued.delete(stream);
      return readOn(stream);
    };
    const before = reading.get(stream) ?? Promise.resolve();
    const retry = async (err: unknown): Promise<void> => {
      onError(err);
      await sleep(retryMs, undefined, { signal: stopping.signal });
      // The entry may be the last one for long: no other entry would bring another read.
      read(stream);
    };
    const ended = before.then(begin).catch((err: unknown) => retry(err).catch(() => undefined));
    reading.set(stream, ended);
  }

  const unlisten = tails.listen((stream) => {
    if (next.has(stream)) read(stream);
  });

  function remove(id: string): void {
    const reader = readers.get(id);
    if (reader !== undefined) index.remove(reader);
    readers.delete(id);
  }

  return {
    /** @throws unavailable when the declarations in force cannot be read; nothing is added then */
    add: async (id: string, matcher: EventMatcher, sources: SourcePositions): Promise<void> => {
      for (const [stream, source] of Object.entries(sources)) {
        const declared = await recall(tails, stream, source);
        if (declared !== undefined) matcher.declared(stream, intern(stream, declared));
      }
      const positions = Object.entries(sources).map(([stream, { position }]) => [stream, position] as const);
      remove(id);
      const reader = { id, matcher, read: new Map(positions) };
      readers.set(id, reader);
      index.add(reader);
      for (const [stream, position] of positions) {
        next.set(stream, Math.min(next.get(stream) ?? Infinity, position + 1));
        read(stream);
      }
    },
    remove,
    stop: async (): Promise<void> => {
      unlisten();
      stopping.abort();
      await Promise.all(reading.values());
    },
  };
}

/** The declaration in force at a position; it may be newer than the one in the subscription's status. */
async function recall(
  tails: LogTails,
  stream: string,
  { position, declaredAt }: SourcePosition,
): Promise<DeclaredFields | undefined> {
  if (declaredAt === undefined) return undefined;
  await tails.read(stream, position + 1); // starts the tail there, and not at the declaration
  const log = {
    read: (position: number) => tails.readOn(stream, position),
    beginning: (mostMs?: number) => tails.beginning(stream, mostMs),
  };
  return (await recallDeclaration(log, declaredAt))?.declared;
}

/** The readers that an entry may concern. */
function concerned(index: ReaderIndex<Reader>, stream: string, entry: StreamEntry): Iterable<Reader> {
  if (entry.kind === 'event') return index.wanting(stream, entry.event.type);
  // Declarations are for every reader of the dataset; the changes of a release are not known here.
  if (entry.kind === 'schema' || entry.kind === 'release') return index.of(stream);
  if (entry.kind !== 'changes') return [];
  const types = [...typesOfChanges(stream, entry.changes)];
  return new Set(types.flatMap((type) => [...index.wanting(stream, type)]));
}

/** The events of one entry, each with one row for all matchers that go by the same declaration. */
function createEventCache(stream: string, entry: StreamEntry): (matcher: EventMatcher) => readonly SourceEvent[] {
  const made = new Map<DeclaredFields, readonly SourceEvent[]>();
  return (matcher) => {
    const declared = matcher.specOf(stream);
    const events = made.get(declared) ?? eventsOfStream(stream, declared, entry).map(withOneRow);
    made.set(declared, events);
    return events;
  };
}

function withOneRow(event: SourceEvent): SourceEvent {
  const { row } = event;
  let made: ReturnType<NonNullable<typeof row>> | undefined;
  return row === undefined ? event : { ...event, row: () => (made ??= row()) };
}
