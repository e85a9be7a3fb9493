/** What one request may cost, whoever sends it. */
export const GRAPH_LIMITS = {
  /** Of the document. */
  tokens: 2_000,
  aliases: 30,
  /** Fields inside fields. */
  depth: 10,
  /** Fields times the sizes of the lists that they stand in. */
  cost: 10_000,
  /** Rows of a page; a larger `first` is taken as this. */
  first: 500,
  ids: 200,
  /** Hits of a lookup, and characters (code points) of what was typed. */
  hits: 50,
  typed: 200,
  /** Documents kept, parsed and checked; texts kept for clients that send their digests. */
  documents: 1_000,
} as const;

/** A list of references has no asked size: it is counted as so many rows. */
export const REFERENCES_COUNTED = 5;
/** Introspection has one cost; its depth is limited by a rule of its own. */
export const INTROSPECTION_COST = 500;
