/**
 * The match classes, best first: a row belongs to the first bucket that it fits. `typos` is the cost of that bucket.
 */
// prettier-ignore
const BUCKETS = {
  exact:           { typos: 0 }, // the whole name is what was typed
  name_prefix:     { typos: 0 }, // the name begins with what was typed
  words_in_order:  { typos: 0 }, // every word typed begins a word of the name, in the same order
  words_any_order: { typos: 0 }, // the same in any order
  alias:           { typos: 0 }, // the same with the help of the alias fields
  typo_1:          { typos: 1 }, // the same with a typo; a blank too many or too few is one
  typo_2:          { typos: 2 },
  partial:         { typos: 0 }, // not every word: only where nothing else is found
} as const satisfies Record<string, { typos: number }>;
export type MatchingBucket = keyof typeof BUCKETS;

/** `popular`: the query is empty, so these are the rows of most weight. */
export type Bucket = MatchingBucket | 'popular';

/** In the order in which they are filled. */
export const MATCHING_BUCKETS = Object.keys(BUCKETS) as readonly MatchingBucket[];

export function typosOf(bucket: Bucket): number {
  return bucket === 'popular' ? 0 : BUCKETS[bucket].typos;
}
