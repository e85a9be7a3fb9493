import { parse } from 'lossless-json';
import { SlipwayError } from '../resources/errors.js';

/** Rows nest less by far; a reader that recurses could be driven out of stack. */
const DEEPEST = 64;
const INTEGER = /^-?\d{1,19}$/;

/**
 * Reads strict JSON; an integer of at most 19 digits comes as bigint, every other number as `number`, so that `1.0` and
 * `1e3` can be told from integers. A member that stands twice with different values is refused.
 * @throws body.malformed saying where
 */
export function parseJson(text: string): unknown {
  if (!depthIsAtMost(DEEPEST, text)) {
    throw new SlipwayError('body.malformed', `the body is nested deeper than ${DEEPEST} levels`);
  }
  try {
    return parse(text, undefined, toNumber);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new SlipwayError('body.malformed', `the body is not JSON: ${cause.message}`, { cause });
  }
}

// A bigint of a million digits would cost more than it is worth: such an integer fits no type but decimal.
const toNumber = (text: string): bigint | number => (INTEGER.test(text) ? BigInt(text) : Number(text));

function depthIsAtMost(limit: number, text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === 0x5c)
        at += 1; // a backslash and what it escapes
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x7b || unit === 0x5b) depth += 1;
    else if (unit === 0x7d || unit === 0x5d) depth -= 1;
    if (depth > limit) return false;
  }
  return true;
}
