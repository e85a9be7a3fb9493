import { splitWords } from './normalization.js';

/** Most words of a query; further ones are ignored. */
export const MOST_WORDS = 10;
/** Most UTF-16 units of a query; the API refuses longer ones before (200 code points). */
const MOST_UNITS = 400;

/** Splits a query into words; empty when it has no letter and no digit. */
export function queryWords(text: string): string[] {
  return splitWords(text.slice(0, MOST_UNITS)).slice(0, MOST_WORDS);
}
