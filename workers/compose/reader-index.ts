import type { EventMatcher } from '../../notifications/events/event-matcher.js';

/** A reader of some streams. */
export interface StreamReader {
  readonly matcher: Pick<EventMatcher, 'wants'>;
  /** The position that was read for it, by stream. */
  readonly read: Map<string, number>;
}

/** The readers of each stream by the types that they want: an event costs nothing for those that do not want its type. */
export interface ReaderIndex<R extends StreamReader> {
  add(reader: R): void;
  remove(reader: R): void;
  /** Every reader of a stream. */
  of(stream: string): Iterable<R>;
  /** The readers of a stream that want a type. */
  wanting(stream: string, type: string): Iterable<R>;
}

interface Readers<R> {
  all: Set<R>;
  /** By each type that an event had. */
  byType: Map<string, Set<R>>;
}

export function createReaderIndex<R extends StreamReader>(): ReaderIndex<R> {
  const streams = new Map<string, Readers<R>>();

  function readersOf(stream: string): Readers<R> {
    const readers = streams.get(stream) ?? { all: new Set(), byType: new Map() };
    streams.set(stream, readers);
    return readers;
  }

  return {
    add(reader) {
      for (const stream of reader.read.keys()) {
        const { all, byType } = readersOf(stream);
        all.add(reader);
        for (const [type, wanting] of byType) if (reader.matcher.wants(type)) wanting.add(reader);
      }
    },
    remove(reader) {
      for (const stream of reader.read.keys()) {
        const { all, byType } = readersOf(stream);
        all.delete(reader);
        for (const wanting of byType.values()) wanting.delete(reader);
      }
    },
    of: (stream) => streams.get(stream)?.all ?? [],
    wanting(stream, type) {
      const { all, byType } = readersOf(stream);
      const wanting = byType.get(type) ?? new Set([...all].filter(({ matcher }) => matcher.wants(type)));
      byType.set(type, wanting);
      return wanting;
    },
  };
}
