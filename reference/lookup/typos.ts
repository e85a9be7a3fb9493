/** Most typos of a hit, whatever the words. */
export const MOST_TYPOS = 2;

/** Returns the edits allowed in one word: short words must match exactly, or everything would be similar. */
export function allowedEdits(length: number): number {
  if (length < 4) return 0;
  return length < 7 ? 1 : MOST_TYPOS;
}

/**
 * Returns the edits allowed between a word and those that share, or do not share, its first letter, where `typos` may
 * be spent. A wrong first letter costs one more than its edit, since it is rare.
 */
export function editBudget(length: number, sameFirstLetter: boolean, typos: number): number {
  return Math.min(allowedEdits(length), sameFirstLetter ? typos : typos - 1);
}
