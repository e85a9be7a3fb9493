/** Half-open, in UTF-16 units of the text. */
export interface Span {
  start: number;
  end: number;
}

export type TokenKind = 'word' | 'quoted' | 'operator' | '(' | ')' | ',' | ';' | 'unclosed' | 'end';
export interface Token extends Span {
  kind: TokenKind;
  /** As written, quotes included. */
  raw: string;
}

const BLANK = /[ \t\r\n]*/y;
// A word is whatever RSQL does not reserve. Operators are taken as long as they get, right or wrong: `=<` is one mistake.
const WORD = /[^ \t\r\n"'();,=!~<>]+/y;
const OPERATOR = /=[A-Za-z]*=|[=!<>]=|<>|=[<>~]|~=|[=!<>~]/y;
const QUOTED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y;

/**
 * The tokens of a filter by index, cut as they are asked for: a parser that gives up does not pay for the rest. The last
 * one is the end, and stands at every index behind it too. Never fails: a quote that is not closed is a token.
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
  const token = (kind: TokenKind, raw: string): Token => ({ kind, raw, start, end: start + raw.length });
  const first = text.charAt(start);
  if (first === '') return token('end', '');
  if (first === '(' || first === ')' || first === ',' || first === ';') return token(first, first);
  const word = match(WORD, text, start);
  if (word !== undefined) return token('word', word);
  const operator = match(OPERATOR, text, start);
  if (operator !== undefined) return token('operator', operator);
  const quoted = match(QUOTED, text, start);
  return quoted === undefined ? token('unclosed', text.slice(start)) : token('quoted', quoted);
}

function match(form: RegExp, text: string, start: number): string | undefined {
  form.lastIndex = start;
  return form.exec(text)?.[0];
}

const skipBlank = (text: string, start: number): number => start + (match(BLANK, text, start)?.length ?? 0);

/** The value of a word or quoted token: a backslash in quotes stands for what follows it, elsewhere for itself. */
export function valueOf({ kind, raw }: Token): string {
  return kind === 'quoted' ? raw.slice(1, -1).replace(/\\([^])/g, '$1') : raw;
}

/** A value that reads back as it is, quoted where it must be. */
export const quote = (value: string): string =>
  /^[^\s"'();,=!~<>*\\]+$/u.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
