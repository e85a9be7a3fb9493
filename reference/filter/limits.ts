/** What one filter may cost, whoever sends it. */
export const FILTER_LIMITS = {
  /** Of the text in UTF-8. */
  bytes: 8_192,
  /** Comparisons. */
  terms: 100,
  /** Parentheses inside parentheses, those of `not( )` too. */
  depth: 16,
  /** Of one list. */
  values: 500,
  /** Problems that an answer lists. */
  problems: 20,
} as const;
