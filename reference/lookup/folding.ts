/** Letters without an NFKD decomposition that users type as others. Lower case only: lookup happens after lowering. */
// prettier-ignore
const FOLDS: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ð: 'd', đ: 'd', ɖ: 'd', ɗ: 'd', ø: 'o', ł: 'l', ı: 'i', ħ: 'h', ŧ: 't', ŋ: 'n',
  ĸ: 'k', ƙ: 'k', ƒ: 'f', ɓ: 'b', ɲ: 'n', ɛ: 'e', ə: 'e', ɔ: 'o', ɩ: 'i', ʋ: 'v', ς: 'σ', ϲ: 'σ',
};
/** Apostrophes, primes and their letter forms (Hawaiian, Arabic and Slavic transliteration); tatweel. */
const APOSTROPHES = new Set("'`´‘’‚‛′‵ʹʺʻʼʽʾʿˈˊˋՙ՚׳ꞌꞋ＇\u0640");
const MARK = /^\p{M}$/u;
const DROPPED = /^[\p{M}\p{Cf}]$/u;
const KEPT = /^[\p{L}\p{N}]$/u;

/**
 * Separator of words in folded text. It sorts before every letter and digit, so joined words sort as their parts do.
 */
export const SEPARATOR = ' ';

/** A mark belongs to the letter before it, also where text is highlighted. */
export function isMark(char: string): boolean {
  return char.charCodeAt(0) > 0x7f && MARK.test(char);
}

const known = new Map<string, string>();
/** Bounds the memo: text can hold more distinct characters than are worth caching. */
const MEMO_LIMIT = 20_000;

/**
 * Folds one code point: NFKD, lower case, no marks, no apostrophes, letters such as `ø` as users type them. Empty when
 * nothing is left; any character that is neither letter nor digit becomes a separator.
 */
export function foldCodePoint(char: string): string {
  const memo = known.get(char);
  if (memo !== undefined) return memo;
  let folded = '';
  if (!APOSTROPHES.has(char)) {
    for (const part of char.normalize('NFKD').toLowerCase()) {
      if (APOSTROPHES.has(part) || DROPPED.test(part)) continue;
      folded += FOLDS[part] ?? (KEPT.test(part) ? part : SEPARATOR);
    }
  }
  if (known.size >= MEMO_LIMIT) known.clear();
  known.set(char, folded);
  return folded;
}
