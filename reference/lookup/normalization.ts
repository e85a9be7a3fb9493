import { foldCodePoint, isMark, SEPARATOR } from './folding.js';

/** A normalized word with its position. */
export interface Word {
  text: string;
  /** Position of its first character in the original, in UTF-16 units. */
  start: number;
  /** Per unit of the word the range of the original that it came from; absent when they correspond unit by unit. */
  units?: TextRange[];
}

/** Half-open, in UTF-16 units of the original text. */
export type TextRange = readonly [start: number, end: number];

/** Returns the range of the original that one unit of a word came from. */
export function unitRange({ start, units }: Word, unit: number): TextRange {
  return units?.[unit] ?? [start + unit, start + unit + 1];
}

/** Splits a text into words with positions: NFC and NFD of a text give the same words. */
export function locateWords(text: string): Word[] {
  return PLAIN.test(text) ? locatePlain(text.toLowerCase()) : locateFolded(text);
}

function locatePlain(text: string): Word[] {
  const words: Word[] = [];
  PLAIN_WORD.lastIndex = 0;
  for (let found = PLAIN_WORD.exec(text); found; found = PLAIN_WORD.exec(text)) {
    words.push({ text: found[0], start: found.index });
  }
  return words;
}

function locateFolded(text: string): Word[] {
  const words: Word[] = [];
  let word: Required<Word> | undefined;
  let offset = 0;
  for (const char of text) {
    const end = offset + char.length;
    const folded = foldCodePoint(char);
    if (folded === '' && word && isMark(char)) word.units.push([word.units.pop()?.[0] ?? offset, end]);
    for (let unit = 0; unit < folded.length; unit += 1) {
      const letter = folded.charAt(unit);
      if (letter === SEPARATOR) {
        word = undefined;
      } else {
        if (!word) words.push((word = { text: '', start: offset, units: [] }));
        word.text += letter;
        word.units.push([offset, end]);
      }
    }
    offset = end;
  }
  return words;
}

/** Matches text that needs no folding beyond lower case: most names, which saves most of the time. */
const PLAIN = /^[\w\s.,()/-]*$/;
const NOT_PLAIN_LETTERS = /[^a-z0-9]+/;
const PLAIN_WORD = /[a-z0-9]+/g;

/** Splits a text into words without positions: the words of {@link locateWords}, at a fraction of its cost. */
export function splitWords(text: string): string[] {
  const parts = PLAIN.test(text) ? text.toLowerCase().split(NOT_PLAIN_LETTERS) : fold(text).split(SEPARATOR);
  return parts.filter((part) => part !== '');
}

function fold(text: string): string {
  let folded = '';
  for (const char of text) folded += foldCodePoint(char);
  return folded;
}
