import { visit } from 'jsonc-parser';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { decodeUtf8, readBytes } from './body-bytes.js';
import type { Step } from './state.js';

export const MANIFEST_LIMIT_BYTES = 1_048_576;
/** No manifest is as deep; without a limit, a megabyte of brackets would overflow the stack of a recursive walk. */
const MAX_DEPTH = 64;

/** Reads and parses the body and ignores its content type; reading starts only after the role check. */
export const readBody: Step = async (ctx, next) => {
  ctx.state.bodyBytes = await readBytes(ctx, MANIFEST_LIMIT_BYTES);
  ctx.state.body = parseJson(ctx.state.bodyBytes);
  await next();
};

/** As `readBody`; an empty body reads as an empty object. */
export const readOptionalBody: Step = async (ctx, next) => {
  const bytes = await readBytes(ctx, MANIFEST_LIMIT_BYTES);
  ctx.state.bodyBytes = bytes;
  ctx.state.body = bytes.toString('latin1').trim() === '' ? {} : parseJson(bytes);
  await next();
};

/** @throws body.malformed with the line and column of the first mistake */
export function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  if (text.trim() === '') throw new SlipwayError('body.malformed', 'EOF');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SlipwayError('body.malformed', `the body is not valid JSON: ${positionOf(text)}`, { cause });
  }
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new SlipwayError('body.malformed', `the body is nested deeper than ${MAX_DEPTH} levels`);
  }
  return MAY_CHANGE.test(text) ? (JSON.parse(withNumbersAsText(text)) as unknown) : value;
}

/** A number that may be written otherwise than its value would be, such as `1.0` or `1e3`. */
const MAY_CHANGE = /\d\.\d*0|\d[eE]|\d{16}|-0/;

/**
 * Quotes the numbers that their value would not keep: the version `1.10` is another one than `1.1`. Text fields take
 * them as they were written, numeric fields read them; only `arguments` of a packager are numbers where they look like it.
 */
function withNumbersAsText(text: string): string {
  const parts: string[] = [];
  let done = 0;
  visit(text, {
    onLiteralValue(value, offset, length, _line, _column, path) {
      const source = text.slice(offset, offset + length);
      if (typeof value !== 'number' || String(value) === source || path().includes('arguments')) return;
      parts.push(text.slice(done, offset), `"${source}"`);
      done = offset + length;
    },
  });
  return parts.join('') + text.slice(done);
}

/** `JSON.parse` of Node 20 does not name the position of every mistake, so a second parser reads the broken text. */
function positionOf(text: string): string {
  const positions: string[] = [];
  try {
    visit(
      text,
      {
        onError(_code, _offset, _length, line, character) {
          positions.push(`line ${line + 1}, column ${character + 1}`);
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch {
    return `nested deeper than ${MAX_DEPTH} levels`; // that parser recurses
  }
  return positions[0] ?? 'line 1, column 1';
}

/** Level by level, so that depth costs no stack. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? (Object.values(item) as unknown[]) : [],
    );
  }
  return false;
}
