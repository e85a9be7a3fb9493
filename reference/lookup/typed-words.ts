import { splitWords } from './normalise.js';

/** Words beyond these do not count. */
const MOST_WORDS = 10;
/** What is longer is no name typed by a person; an API refuses it before (200 code points). */
const MOST_UNITS = 400;

/** The words of what was typed; none where it holds no letter and no digit. */
export function typedWords(text: string): string[] {
  return splitWords(text.slice(0, MOST_UNITS)).slice(0, MOST_WORDS);
}
