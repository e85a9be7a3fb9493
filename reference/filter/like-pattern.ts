import type { Token } from './tokens.js';

/** `*`: any run of characters, `?`: one character, a text: itself. */
export type LikePart = { kind: 'run' } | { kind: 'one' } | { kind: 'text'; text: string };

/**
 * The normal form of the pattern of a `=like=` value: NFC; a backslash before each literal `*`, `?` and `\` and nowhere
 * else; of neighboring `*` and `?` first the `?`, then one `*`.
 */
export function toPattern({ kind, raw }: Token): string {
  const written = kind === 'quoted' ? raw.slice(1, -1) : raw;
  let pattern = '';
  let run = '';
  for (let at = 0; at < written.length; at += 1) {
    const unit = written.charAt(at);
    if (unit === '*') run = '*';
    else if (unit === '?') pattern += '?';
    else {
      // A backslash at the end is literal.
      if (unit === '\\' && at + 1 < written.length) at += 1;
      const literal = written.charAt(at);
      pattern += run + (literal === '*' || literal === '?' || literal === '\\' ? `\\${literal}` : literal);
      run = '';
    }
  }
  return (pattern + run).normalize('NFC');
}

/** Splits a pattern in normal form into its parts. */
export function likeParts(pattern: string): LikePart[] {
  const parts: LikePart[] = [];
  let text = '';
  const wildcard = (part: LikePart) => {
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
    parts.push(part);
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const unit = pattern.charAt(at);
    if (unit === '*') wildcard({ kind: 'run' });
    else if (unit === '?') wildcard({ kind: 'one' });
    else {
      if (unit === '\\') at += 1;
      text += pattern.charAt(at);
    }
  }
  if (text !== '') parts.push({ kind: 'text', text });
  return parts;
}
