import type { Bucket } from './buckets.js';
import { typosOf } from './buckets.js';
import type { LookupFields, LookupRow, LookupSource } from './document.js';
import { createDocumentReader } from './document.js';
import { Highlighter } from './highlight.js';
import type { TextRange } from './normalise.js';
import { search } from './search.js';
import { segmentBytes } from './segment.js';
import { createSegments } from './segments.js';
import { decodeSegments, encodeSegments } from './snapshot.js';
import { finish, type Pace } from './steps.js';
import { typedWords } from './typed-words.js';

export interface LookupOptions extends Pace {
  fields: LookupFields;
  source: LookupSource;
  /** Whatever else decides what is in the index: bytes that were made for something else are refused. */
  madeFor?: string;
}

export interface LookupQuery {
  /** Most hits, 1 to 50. */
  limit?: number;
  /** Rows that may be shown; all without it. */
  accept?: (row: number) => boolean;
}

export interface LookupHit {
  row: number;
  bucket: Bucket;
  typos: number;
  /** The field that shows best why the row was found, and what of its value matched, in UTF-16 units. */
  field: string;
  /** Which of the values, where the field is a list. */
  index: number;
  ranges: TextRange[];
}

export interface LookupAnswer {
  query: { text: string; words: string[] };
  hits: LookupHit[];
}

/** Search as you type over the names of rows. Answers depend on the rows alone, not on the order they came in. */
export interface LookupIndex {
  /** The best rows for what was typed so far; nothing typed, or no letter and digit in it: the rows of most weight. */
  query(text: string, options?: LookupQuery): LookupAnswer;
  /** Takes in a row that is new or has changed, as it is now. The next query knows it. */
  upsert(row: number, shown?: LookupRow): void;
  remove(row: number): void;
  /** Takes in many rows at first: each in turn, and then in steps. Nothing is found before the last one. */
  loader(): { add(row: number, shown?: LookupRow): void; finish(): Generator<void> };
  /** Finishes all merging in the background now. */
  settle(): void;
  /** Memory held, in bytes. */
  readonly bytes: number;
  /** Rows that can be found. */
  readonly size: number;
  /** The index of this moment in parts, for {@link lookupIndexFromBytes}; changes may go on before the last is taken. */
  encode(): Iterable<Buffer>;
}

const MOST_HITS = 50;

/** An index of the rows given, built in one go: some seconds for a million of them. */
export function createLookupIndex({ rows = [], ...options }: LookupOptions & { rows?: Iterable<number> }): LookupIndex {
  const index = lookupIndexOf(emptyIndex(options), options);
  const loader = index.loader();
  for (const row of rows) loader.add(row);
  finish(loader.finish());
  return index;
}

/**
 * The index that `encode` wrote, over the same rows. The bytes must not change any more.
 * @throws unavailable when they are damaged, or were made for something else or by another version: then build anew
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
    query(text, { limit = 10, accept = () => true } = {}) {
      const words = typedWords(text);
      const wanted = Math.min(Math.max(1, limit), MOST_HITS);
      const hits = search({ segments, words, limit: wanted, accept });
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
