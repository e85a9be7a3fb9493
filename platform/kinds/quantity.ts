import { SlipwayError } from './errors.js';

const GRAMMAR = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const NANO = 1_000_000_000n;
const LARGEST = (2n ** 63n - 1n) * NANO;
/** Longer texts are no quantities and would only cost time. */
const LONGEST_TEXT = 64;
const LARGEST_EXPONENT = 60;

/** Multiplier per suffix, as a fraction. */
// prettier-ignore
const SUFFIXES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  '': [1n, 1n],
  n: [1n, NANO],        u: [1n, 1_000_000n], m: [1n, 1_000n],
  k: [10n ** 3n, 1n],   M: [10n ** 6n, 1n],  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],  P: [10n ** 15n, 1n], E: [10n ** 18n, 1n],
  Ki: [2n ** 10n, 1n],  Mi: [2n ** 20n, 1n], Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],  Pi: [2n ** 50n, 1n], Ei: [2n ** 60n, 1n],
};

const QUANTITY_TEXT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A quantity (`250m`, `1.5`, `2Gi`) in nano-units, rounded up; undefined when it is none. Case matters: `k`, not `K`. */
export function parseQuantity(text: string): bigint | undefined {
  const [, sign, digits, suffix = ''] = (text.length <= LONGEST_TEXT && GRAMMAR.exec(text)) || [];
  const scale = toScale(suffix);
  if (digits === undefined || scale === undefined) return undefined;
  const [whole = '', fraction = ''] = digits.split('.');
  const amount = BigInt(whole + fraction) * scale[0] * NANO;
  const nano = divideUp(amount, 10n ** BigInt(fraction.length) * scale[1]);
  return sign === '-' ? -nano : nano;
}

/** Exponents beyond the limits of any quantity count as the limit: the result is out of range either way. */
function toScale(suffix: string): readonly [bigint, bigint] | undefined {
  if (!/^[eE][+-]?\d/.test(suffix)) return SUFFIXES[suffix];
  const exponent = Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, Number(suffix.slice(1))));
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? [1n, power] : [power, 1n];
}

const divideUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/** CPU in thousandths of a core, rounded up. @throws validation_failed */
export const toMillicpu = (text: string): number => Number(divideUp(known(text), NANO / 1_000n));

/** Memory in bytes, rounded up. @throws validation_failed */
export const toBytes = (text: string): number => Number(divideUp(known(text), NANO));

function known(text: string): bigint {
  const nano = parseQuantity(text);
  if (nano === undefined || nano < 0n) throw new SlipwayError('validation_failed', `"${text}": ${QUANTITY_TEXT}`);
  return nano;
}

const SMALLEST_MEMORY = 6n * 2n ** 20n * NANO; // what Docker takes

/** The fault of a quantity in its field; an absent one has none. */
export function quantityProblem(
  text: string | undefined,
  { of, limit }: { of: 'cpu' | 'memory' | 'gpu'; limit: boolean },
): string | undefined {
  if (text === undefined) return undefined;
  const nano = parseQuantity(text);
  if (nano === undefined) return QUANTITY_TEXT;
  if (nano < 0n) return 'must not be negative';
  if (nano > LARGEST) return 'must not be larger than 9223372036854775807';
  if (of === 'gpu') return nano % NANO === 0n ? undefined : 'must be a whole number';
  if (of === 'memory' && text.endsWith('m')) return 'memory is counted in whole bytes, the suffix m means thousandths';
  if (of === 'memory' && nano < SMALLEST_MEMORY) return 'must be at least 6Mi';
  return limit && nano === 0n ? 'must be greater than zero' : undefined;
}
