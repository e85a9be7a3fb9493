/** Half-open, in UTF-16 units of the text. */
export interface Span {
  start: number;
  end: number;
}

type TokenKind = 'word' | 'quoted' | 'operator' | '(' | ')' | ',' | ';' | 'unclosed' | 'end';
export interface Token extends Span {
  kind: TokenKind;
  /** As written, quotes included. */
  raw: string;
}

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);
// A word is any text without characters that RSQL reserves. Operators match greedily, valid or not: `=<` is one mistake.
const WORD = /[^ \t\r\n"'();,=!~<>]+/y;
const OPERATOR = /=[A-Za-z]*=|[=!<>]=|<>|=[<>~]|~=|[=!<>~]/y;
const QUOTED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y;

/**
 * Returns the tokens of a filter by index, cut on demand: a stopped parser does not pay for the rest. The last one is
 * the end token, which is returned for every later index too. Never fails: a quote that is not closed is a token.
 */
export function createTokens(text: string): (index: number) => Token {
  const tokens = [nextToken(text, skipBlank(text, 0))];
  return (index) => {
    for (;;) {
      const token = tokens[index] ?? tokens.at(-1);
      if (token !== undefined && (tokens.length > index || token.kind === 'end')) return token;
      tokens.push(nextToken(text, skipBlank(text, token?.end ?? 0)));
    }
  };
}

function nextToken(text: string, start: number): Token {
  const first = text.charAt(start);
  if (first === '') return { kind: 'end', raw: '', start, end: start };
  if (first === '(' || first === ')' || first === ',' || first === ';') {
    return { kind: first, raw: first, start, end: start + 1 };
  }
  return (
    matched('word', WORD, text, start) ??
    matched('operator', OPERATOR, text, start) ??
    matched('quoted', QUOTED, text, start) ?? { kind: 'unclosed', raw: text.slice(start), start, end: text.length }
  );
}

/** Uses `test` and `lastIndex` only: creating match arrays costs more than the matching. */
function matched(kind: TokenKind, form: RegExp, text: string, start: number): Token | undefined {
  form.lastIndex = start;
  if (!form.test(text)) return undefined;
  const end = form.lastIndex;
  return { kind, raw: text.slice(start, end), start, end };
}

function skipBlank(text: string, start: number): number {
  let at = start;
  while (BLANKS.has(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * Returns the value of a word or quoted token: in quotes a backslash escapes the next character, elsewhere it is
 * literal.
 */
export function valueOf({ kind, raw }: Token): string {
  return kind === 'quoted' ? raw.slice(1, -1).replace(/\\([^])/g, '$1') : raw;
}

/** Returns a value as a token that parses to itself, quoted where needed. */
export const quote = (value: string): string =>
  /^[^\s"'();,=!~<>*\\]+$/u.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
