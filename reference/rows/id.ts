import { SlipwayError } from '../../platform/kinds/errors.js';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** No sign, no leading zero, no exponent: each id has one spelling. */
const ID = /^[1-9]\d{0,18}$/;
const INTEGER = /^(0|-?[1-9]\d{0,18})$/;

/**
 * Reads an id, 1 to 9223372036854775807, from text or from a bigint of the lossless parser.
 * @returns undefined for any other input, including a `number`: its digits may be lost already
 */
export function parseId(given: unknown): bigint | undefined {
  const id = toBigInt(given, ID);
  return id !== undefined && id >= 1n && id <= MAX_INT64 ? id : undefined;
}

/** Reads a 64-bit integer under the same rules; a minus and 0 are allowed, `-0` is not. */
export function parseInteger(given: unknown): bigint | undefined {
  const integer = toBigInt(given, INTEGER);
  return integer !== undefined && integer >= MIN_INT64 && integer <= MAX_INT64 ? integer : undefined;
}

/** Reads an id like `parseId`. @throws id.malformed */
export function requireId(given: unknown): bigint {
  const id = parseId(given);
  if (id === undefined) throw new SlipwayError('id.malformed', `an id is ${ID_WORDS}`);
  return id;
}

export const ID_WORDS = `an integer from 1 to ${MAX_INT64}, in digits alone`;

function toBigInt(given: unknown, form: RegExp): bigint | undefined {
  if (typeof given === 'bigint') return given;
  return typeof given === 'string' && form.test(given) ? BigInt(given) : undefined;
}
