import type { Bucket } from './buckets.js';
import { typosOf } from './buckets.js';
import type { LookupFields, LookupRow, LookupSource } from './document.js';
import { createDocumentReader } from './document.js';
import { Highlighter } from './highlight.js';
import type { TextRange } from './normalization.js';
import { search } from './search.js';
import { segmentBytes } from './segment.js';
import { createSegments } from './segments.js';
import { decodeSegments, encodeSegments } from './snapshot.js';
import { finish, type Pace } from './steps.js';
import { queryWords } from './query-words.js';
import type { Synonyms } from './synonyms.js';

export interface LookupOptions extends Pace {
  fields: LookupFields;
  source: LookupSource;
  /** Canonical text of further options that determine the content: a saved index made for another text is refused. */
  madeFor?: string;
}

interface LookupQuery {
  /** Most hits, 1 to 50. */
  limit?: number;
  /** Restricts the hits; all rows without it. */
  accept?: (row: number) => boolean;
  /** Also searches for what means the same. */
  synonyms?: Synonyms | undefined;
}

export interface LookupHit {
  row: number;
  bucket: Bucket;
  typos: number;
  /** The field that best explains the hit, and the matched parts of its value, in UTF-16 units. */
  field: string;
  /** Index of the value, where the field is a list. */
  index: number;
  ranges: TextRange[];
}

export interface LookupAnswer {
  query: { text: string; words: string[] };
  hits: LookupHit[];
}

/** Search as you type over the names of rows. Answers depend on the rows alone, not on the order of updates. */
export interface LookupIndex {
  /** Returns the best rows for the text so far; without any letter or digit in it, the rows of most weight. */
  query(text: string, options?: LookupQuery): LookupAnswer;
  /** Indexes a row that is new or has changed, as it is now. The next query finds it. */
  upsert(row: number, shown?: LookupRow): void;
  remove(row: number): void;
  /**
   * Bulk load into an empty index: add every row, then run the steps of `finish`. Rows are found after the last step.
   */
  loader(): { add(row: number, shown?: LookupRow): void; finish(): Generator<void> };
  /** Completes all background merges now. */
  settle(): void;
  /** Memory held, in bytes. */
  readonly bytes: number;
  /** Rows that can be found. */
  readonly size: number;
  /**
   * Encodes the current index in parts, for {@link lookupIndexFromBytes}; changes may continue before the last is read.
   */
  encode(): Iterable<Buffer>;
}

const MOST_HITS = 50;

/** Creates an index of the given rows in one go: some seconds for a million of them. */
export function createLookupIndex({ rows = [], ...options }: LookupOptions & { rows?: Iterable<number> }): LookupIndex {
  const index = lookupIndexOf(emptyIndex(options), options);
  const loader = index.loader();
  for (const row of rows) loader.add(row);
  finish(loader.finish());
  return index;
}

/**
 * Decodes an index written by `encode` over the same rows. The bytes must not change afterwards.
 * @throws unavailable when they are damaged, or were made for other options or by another version: rebuild the index
 */
export function lookupIndexFromBytes(bytes: Uint8Array, options: LookupOptions): LookupIndex {
  const parts = emptyIndex(options);
  parts.segments.restore(decodeSegments(bytes, madeFor(options)));
  return lookupIndexOf(parts, options);
}

const madeFor = ({ fields, madeFor: others = '' }: LookupOptions) => ({ fields, madeFor: others });

function emptyIndex(options: LookupOptions) {
  const { names } = options.fields;
  const segments = createSegments({ ...options, nameFields: names.length });
  return { segments, read: createDocumentReader(options.fields) };
}

function lookupIndexOf({ segments, read }: ReturnType<typeof emptyIndex>, options: LookupOptions): LookupIndex {
  const { source, fields } = options;
  return {
    query(text, { limit = 10, accept = () => true, synonyms } = {}) {
      const words = queryWords(text);
      const wanted = Math.min(Math.max(1, limit), MOST_HITS);
      const hits = search({ segments, queries: synonyms?.(words) ?? [words], limit: wanted, accept });
      const highlighter = new Highlighter(source, fields);
      return {
        query: { text, words },
        hits: hits.map(({ row, bucket, reading }) => {
          const typos = typosOf(bucket);
          return { row, bucket, typos, ...highlighter.show({ row, reading, mistyped: typos > 0 }) };
        }),
      };
    },
    upsert: (row, shown = source(row)) => segments.put(read(row, shown)),
    remove: (row) => segments.remove(row),
    loader() {
      const loader = segments.loader();
      return {
        add: (row, shown = source(row)) => loader.add(read(row, shown)),
        finish: () => loader.finish(),
      };
    },
    settle: () => segments.settle(),
    get size() {
      return segments.current().reduce((sum, { live }) => sum + live, 0);
    },
    get bytes() {
      const { segments: all, slots } = segments.state();
      return all.reduce((sum, { segment }) => sum + segmentBytes(segment), slots.byteLength);
    },
    encode: () => encodeSegments(segments.state(), madeFor(options)),
  };
}
