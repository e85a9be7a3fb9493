/** Limits of one filter, for every caller. */
export const FILTER_LIMITS = {
  /** Length of the text in UTF-8. */
  bytes: 8_192,
  /** Comparisons. */
  terms: 100,
  /** Nesting of parentheses, including those of `not( )`. */
  depth: 16,
  /** Length of one list. */
  values: 500,
  /** Problems that an answer lists. */
  problems: 20,
} as const;
