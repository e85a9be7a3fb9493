import type { Token } from './tokens.js';

/** `*`: any run of characters, `?`: one character, a text: itself. */
export type LikePart = { kind: 'run' } | { kind: 'one' } | { kind: 'text'; text: string };

/**
 * The pattern that a value of `=like=` spells, in its one normal form: NFC; a backslash before each `*`, `?` and `\` that
 * stands for itself and nowhere else; of neighboring `*` and `?` first those `?`, then one `*`.
 */
export function toPattern({ kind, raw }: Token): string {
  const body = kind === 'quoted' ? raw.slice(1, -1) : raw;
  return likeParts(body.normalize('NFC')).map(toText).join('');
}

/** What a pattern asks for, part by part. */
export function likeParts(pattern: string): LikePart[] {
  const parts: LikePart[] = [];
  for (const [piece] of pattern.matchAll(/\\[^]|[*?\\]|[^*?\\]+/gu)) {
    const previous = parts.at(-1);
    if (piece === '*') {
      if (previous?.kind !== 'run') parts.push({ kind: 'run' });
    } else if (piece === '?') {
      parts.splice(previous?.kind === 'run' ? -1 : parts.length, 0, { kind: 'one' });
    } else {
      const text = piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
      if (previous?.kind === 'text') previous.text += text;
      else parts.push({ kind: 'text', text });
    }
  }
  return parts;
}

function toText(part: LikePart): string {
  if (part.kind !== 'text') return part.kind === 'run' ? '*' : '?';
  return part.text.normalize('NFC').replace(/[*?\\]/g, '\\$&');
}
