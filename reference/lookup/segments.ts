import { buildSegment } from './segment-builder.js';
import type { Document } from './document.js';
import type { LiveSegment } from './live-segment.js';
import { mergeSegments } from './segment-merge.js';
import { createMergeScheduler } from './merge-scheduler.js';
import type { Segment, SegmentData } from './segment.js';
import { completeSegment } from './segment.js';
import type { Pace } from './steps.js';
import { finish } from './steps.js';

export interface SegmentsOptions extends Pace {
  nameFields: number;
}

/** Changed rows become a segment with the next query, or when this many are pending. */
const MOST_PENDING = 512;
/** Rows sorted in one chunk of a bulk load. */
const CHUNK = 8_192;

export interface SegmentsState {
  segments: readonly LiveSegment[];
  /** Per row the slot of the segment that holds its current version, 0 for none. */
  slots: Uint8Array;
}

/** A bulk load into an empty index. */
interface SegmentsLoader {
  add(document: Document): void;
  /** Rows are found after its last step. */
  finish(): Generator<void>;
}

export interface Segments {
  /** Returns the segments for a query: they include all changes, and stay unchanged until the next call. */
  current(): readonly LiveSegment[];
  isLive(row: number, slot: number): boolean;
  put(document: Document): void;
  remove(row: number): void;
  loader(): SegmentsLoader;
  /** Completes all merges now. */
  settle(): void;
  state(): SegmentsState;
  restore(state: SegmentsState): void;
}

/**
 * A log-structured merge of immutable segments: changed rows go to new small segments, and a row is live in the newest
 * segment that has it. Segments of similar size are merged in the background, in slices; between two queries the result
 * replaces its sources.
 */
export function createSegments({ nameFields, ...pace }: SegmentsOptions): Segments {
  let segments: readonly LiveSegment[] = [];
  let slots: Uint8Array = new Uint8Array(1_024); // by row
  const pending = new Map<number, Document>();
  const merges = createMergeScheduler({ ...pace, segments: () => segments, merging, replace: add });

  function forget(row: number): void {
    pending.delete(row);
    const holder = segments.find(({ slot }) => slot === slots[row]);
    if (!holder) return;
    slots[row] = 0;
    holder.live -= 1;
    // A source of a merge keeps its slot, or rows of a later segment would be taken for its rows.
    if (holder.live === 0 && !merges.isSource(holder)) segments = segments.filter((each) => each !== holder);
  }

  function reserve(row: number): void {
    if (row < slots.length) return;
    const larger = new Uint8Array(Math.max(row + 1, slots.length * 2));
    larger.set(slots);
    slots = larger;
  }

  function add(segment: Segment, sources: readonly LiveSegment[] = []): void {
    const used = new Set(segments.map(({ slot }) => slot));
    let slot = 1;
    while (used.has(slot)) slot += 1;
    const from = new Set(sources.map((source) => source.slot));
    let live = 0;
    for (const row of segment.rows) {
      // A row that is not live in a source any more changed during the merge.
      if (sources.length > 0 && !from.has(slots[row] ?? 0)) continue;
      slots[row] = slot;
      live += 1;
    }
    const others = segments.filter((each) => !sources.includes(each));
    segments = live > 0 ? [...others, { segment, slot, live }] : others;
  }

  function* merging(sources: readonly LiveSegment[]): Generator<void, Segment> {
    const parts = sources.map(({ segment, slot }) => ({ segment, isLive: (row: number) => slots[row] === slot }));
    return yield* completeSegment(yield* mergeSegments(parts, nameFields));
  }

  function absorb(): void {
    if (pending.size === 0) return;
    const documents = [...pending.values()];
    pending.clear();
    add(finish(completeSegment(buildSegment(documents, nameFields))));
    merges.start();
  }

  return {
    current() {
      absorb();
      return segments;
    },
    isLive: (row, slot) => slots[row] === slot,
    put(document) {
      reserve(document.row);
      forget(document.row);
      pending.set(document.row, document);
      if (pending.size >= MOST_PENDING) absorb();
    },
    remove(row) {
      forget(row);
      merges.start();
    },
    loader() {
      const parts: SegmentData[] = [];
      let chunk: Document[] = [];
      return {
        add(document) {
          reserve(document.row);
          chunk.push(document);
          if (chunk.length < CHUNK) return;
          parts.push(buildSegment(chunk, nameFields));
          chunk = [];
        },
        *finish() {
          parts.push(buildSegment(chunk, nameFields));
          const sources = parts.map((segment) => ({ segment, isLive: () => true }));
          add(yield* completeSegment(yield* mergeSegments(sources, nameFields)));
        },
      };
    },
    settle() {
      absorb();
      merges.settle();
    },
    state() {
      absorb();
      return { segments, slots };
    },
    restore(state) {
      ({ segments, slots } = state);
    },
  };
}
