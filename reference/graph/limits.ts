/** Limits of one request, for every caller. */
export const GRAPH_LIMITS = {
  /** Tokens of the document. */
  tokens: 2_000,
  aliases: 30,
  /** Nesting of fields. */
  depth: 10,
  /** Sum over the fields, each times the sizes of the lists that enclose it. */
  cost: 10_000,
  /** Rows of a page; a larger `first` is taken as this. */
  first: 500,
  ids: 200,
  /** Hits of a lookup, and characters (code points) of its text. */
  hits: 50,
  typed: 200,
  /** Parsed documents in the cache, and texts stored for clients that send digests. */
  documents: 1_000,
} as const;

/** A list of references has no size argument: its cost assumes this many rows. */
export const REFERENCES_COUNTED = 5;
/** Introspection has one cost; its depth is limited by a rule of its own. */
export const INTROSPECTION_COST = 500;
