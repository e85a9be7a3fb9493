import { locateWords, unitRange } from '../../reference/lookup/normalization.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A slip of the finger: one letter dropped, changed, added, or crossed with the next, in a word that has four letters or
 * more afterwards. Text without such a word stays as it is.
 */
export function damaged(text: string, random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  const words = locateWords(text).filter((word) => word.text.length >= 4);
  const word = words[below(words.length)];
  if (!word) return text;
  for (;;) {
    const unit = below(word.text.length);
    const [start, end] = unitRange(word, unit);
    const [before, letter, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
    const other = LETTERS.charAt(below(LETTERS.length));
    const next = text.slice(end, unitRange(word, unit + 1)[1]);
    const kinds = [
      word.text.length > 4 ? before + after : text,
      before + other + after,
      before + letter + other + after,
      unit + 1 < word.text.length ? before + next + letter + text.slice(end + next.length) : text,
    ];
    const made = kinds[below(kinds.length)] ?? text;
    if (made.toLowerCase() !== text.toLowerCase()) return made;
  }
}
