const ALPHABET = /^[A-Za-z0-9+/]$/;
const PADDING = '=';
const isLineBreak = (char: string | undefined): boolean => char === '\n' || char === '\r';

/**
 * Where Base64 (standard alphabet, padded) stops being valid, as Go's `CorruptInputError` counts it: byte index of the
 * first bad character, or of the first one of an incomplete last group; line breaks are skipped.
 * @returns undefined when the text is valid
 */
export function badBase64Byte(text: string): number | undefined {
  const bytes = Buffer.from(text, 'utf8').toString('latin1'); // one character per byte
  let at = 0;
  while (at < bytes.length) {
    const group = readGroup(bytes, at);
    if (group.bad !== undefined) return group.bad;
    at = group.next;
  }
  return undefined;
}

/** Reads up to four characters; `next` is the index after them. */
function readGroup(bytes: string, start: number): { next: number; bad?: number } {
  let at = start;
  for (let count = 0; count < 4; at += 1) {
    const char = bytes[at];
    if (char === undefined) return { next: at, ...(count > 0 ? { bad: at - count } : {}) };
    if (isLineBreak(char)) continue;
    if (char === PADDING) return { next: bytes.length, ...badPadding(bytes, at, count) };
    if (!ALPHABET.test(char)) return { next: at, bad: at };
    count += 1;
  }
  return { next: at };
}

/** Padding ends the text: two characters need two of it, three need one, and nothing but line breaks follows. */
function badPadding(bytes: string, first: number, count: number): { bad?: number } {
  if (count < 2) return { bad: first };
  let at = first + 1;
  if (count === 2) {
    at = skipLineBreaks(bytes, at);
    if (at === bytes.length) return { bad: at };
    if (bytes[at] !== PADDING) return { bad: at - 1 };
    at += 1;
  }
  at = skipLineBreaks(bytes, at);
  return at < bytes.length ? { bad: at } : {};
}

function skipLineBreaks(bytes: string, from: number): number {
  let at = from;
  while (isLineBreak(bytes[at])) at += 1;
  return at;
}
