import { visit } from 'jsonc-parser';
import rawBody from 'raw-body';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Step } from './state.js';

const LIMIT_BYTES = 1_048_576;
/** No manifest comes near it; without a limit a megabyte of brackets would overflow the stack of whoever walks it. */
const MAX_DEPTH = 64;

/** Reads and parses the body whatever its content type says; reading starts only after the role check. */
export const readBody: Step = async (ctx, next) => {
  ctx.state.bodyBytes = await readBytes(ctx.req, ctx.request.length);
  ctx.state.body = parseJson(ctx.state.bodyBytes);
  await next();
};

/** As `readBody`; an empty body reads as an empty object. */
export const readOptionalBody: Step = async (ctx, next) => {
  const bytes = await readBytes(ctx.req, ctx.request.length);
  ctx.state.bodyBytes = bytes;
  ctx.state.body = bytes.toString('latin1').trim() === '' ? {} : parseJson(bytes);
  await next();
};

/** @throws too_large, bad_json */
export async function readBytes(request: Parameters<typeof rawBody>[0], length: number | undefined): Promise<Buffer> {
  try {
    return await rawBody(request, { length, limit: LIMIT_BYTES });
  } catch (cause) {
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') {
      throw new SlipwayError('too_large', `the body is larger than ${LIMIT_BYTES} bytes`, { cause });
    }
    throw new SlipwayError('bad_json', 'the body ended early', { cause });
  }
}

/** @throws bad_json with the place of the first mistake */
export function parseJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  if (text.trim() === '') throw new SlipwayError('bad_json', 'EOF');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SlipwayError('bad_json', `the body is not valid JSON: ${placeOf(text)}`, { cause });
  }
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new SlipwayError('bad_json', `the body is nested deeper than ${MAX_DEPTH} levels`);
  }
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SlipwayError('bad_json', 'the body is not valid UTF-8', { cause });
  }
}

/** Node 20 does not say where every mistake is, so the broken text is read a second time by a parser that does. */
function placeOf(text: string): string {
  const places: string[] = [];
  try {
    visit(
      text,
      {
        onError(_code, _offset, _length, line, character) {
          places.push(`line ${line + 1}, column ${character + 1}`);
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch {
    return `nested deeper than ${MAX_DEPTH} levels`; // that parser recurses
  }
  return places[0] ?? 'line 1, column 1';
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
