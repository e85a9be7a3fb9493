import { SlipwayError } from '../../platform/kinds/errors.js';

export const MAX_INT64 = 2n ** 63n - 1n;
export const MIN_INT64 = -(2n ** 63n);

/** No sign, no leading zero, no exponent: each id has one spelling. */
const ID = /^[1-9]\d{0,18}$/;
const INTEGER = /^(0|-?[1-9]\d{0,18})$/;

/**
 * Reads an id, 1 to 9223372036854775807, from text or from an integer whose digits the reader of a body kept.
 * @returns undefined for anything else, a `number` too: its digits may already be lost
 */
export function parseId(given: unknown): bigint | undefined {
  const id = toBigInt(given, ID);
  return id !== undefined && id >= 1n && id <= MAX_INT64 ? id : undefined;
}

/** Reads an integer of 64 bits under the same rules; a minus and 0 are allowed, `-0` is not. */
export function parseInteger(given: unknown): bigint | undefined {
  const integer = toBigInt(given, INTEGER);
  return integer !== undefined && integer >= MIN_INT64 && integer <= MAX_INT64 ? integer : undefined;
}

/** As `parseId`. @throws id.malformed */
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
