import type { Bucket } from './buckets.js';
import { MATCHING_BUCKETS } from './buckets.js';
import type { Interpretation } from './interpretation.js';
import type { Segment } from './segment.js';
import { compareRanks } from './segment.js';
import { SegmentSearch } from './segment-search.js';
import type { LiveSegment } from './live-segment.js';
import type { Segments } from './segments.js';

export interface Hit {
  row: number;
  bucket: Bucket;
  reading: Interpretation;
}

export interface SearchOptions {
  segments: Pick<Segments, 'current' | 'isLive'>;
  /** The words of queries that mean the same, as typed first: a row is in the best bucket that it has in any. */
  queries: readonly (readonly string[])[];
  limit: number;
  accept: (row: number) => boolean;
}

interface Candidate {
  segment: Segment;
  document: number;
  reading: Interpretation;
}

const NOTHING_TYPED: Interpretation = [];

/** Fills the buckets in order, each from all segments, until there are enough hits. */
export function search({ segments, queries, limit, accept }: SearchOptions): Hit[] {
  const hits: Hit[] = [];
  const current = segments.current();
  const found = new Set<number>();
  const accepts = ({ segment, slot, live }: LiveSegment) => {
    const changed = live < segment.rows.length;
    return (document: number) => {
      const row = segment.rows[document] ?? 0;
      return !(changed && !segments.isLive(row, slot)) && !found.has(row) && accept(row);
    };
  };
  function take(bucket: Bucket, candidates: Candidate[]): void {
    candidates.sort((one, other) => compareRanks(one.segment, one.document, other.segment, other.document));
    for (const { segment, document, reading } of candidates) {
      const row = segment.rows[document] ?? 0;
      if (hits.length === limit || found.has(row)) continue;
      found.add(row);
      hits.push({ row, bucket, reading });
    }
  }

  if (queries[0]?.length === 0) {
    take(
      'popular',
      current.flatMap((each) => heaviest(each.segment, limit, accepts(each))),
    );
    return hits;
  }
  const searches = current.flatMap((each) =>
    queries.map((words) => {
      return { segment: each.segment, search: new SegmentSearch(each.segment, words), accepts: accepts(each) };
    }),
  );
  for (const bucket of MATCHING_BUCKETS) {
    if (hits.length === limit || (bucket === 'partial' && hits.length > 0)) break;
    const wanted = limit - hits.length;
    const candidates = searches.flatMap(({ segment, search, accepts }) => {
      return search.find(bucket, { limit: wanted, accepts }).map((each) => ({ segment, ...each }));
    });
    take(bucket, candidates);
  }
  return hits;
}

function heaviest(segment: Segment, limit: number, accepts: (document: number) => boolean): Candidate[] {
  const candidates: Candidate[] = [];
  for (let document = 0; document < segment.rows.length && candidates.length < limit; document += 1) {
    if (accepts(document)) candidates.push({ segment, document, reading: NOTHING_TYPED });
  }
  return candidates;
}
