/** No row is found with more typos than this, whatever the words. */
export const MOST_TYPOS = 2;

/** Edits allowed in one word: short words are left alone, or everything would resemble everything. */
export function allowedEdits(length: number): number {
  if (length < 4) return 0;
  return length < 7 ? 1 : MOST_TYPOS;
}

/**
 * Edits allowed between a word and those that share, or do not share, its first letter, where `typos` may be spent.
 * A wrong first letter costs one more than its edit: people rarely miss it.
 */
export function editBudget(length: number, sameFirstLetter: boolean, typos: number): number {
  return Math.min(allowedEdits(length), sameFirstLetter ? typos : typos - 1);
}
