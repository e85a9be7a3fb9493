import { expect, test } from 'vitest';
import fc from 'fast-check';
import { parseQuantity, quantityProblem, toBytes, toMillicpu } from '../../../platform/kinds/quantity.js';

// prettier-ignore
const VALUES = [
  ['1', 1_000_000_000n], ['1.5', 1_500_000_000n], ['.5', 500_000_000n], ['2.', 2_000_000_000n], ['+3', 3_000_000_000n],
  ['-1', -1_000_000_000n], ['250m', 250_000_000n], ['7u', 7_000n], ['9n', 9n], ['0.1n', 1n], ['1k', 10n ** 12n],
  ['1M', 10n ** 15n], ['1E', 10n ** 27n], ['1Ki', 1_024_000_000_000n], ['1e3', 10n ** 12n], ['1E3', 10n ** 12n],
  ['5e-1', 500_000_000n], ['1e-40', 1n], ['0', 0n],
] as const;
test.each(VALUES)('%s', (text, nano) => {
  expect(parseQuantity(text)).toBe(nano);
});

test.each([
  '',
  '.',
  'm',
  '1K',
  '1mi',
  '1 ',
  ' 1',
  '1,5',
  '1e',
  '1e1.5',
  '0x1',
  '--1',
  '1.5.2',
  'Infinity',
  '٣',
  '9'.repeat(65),
])('%j is no quantity', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

test('CPU is rounded up to a thousandth, memory to a byte', () => {
  expect([toMillicpu('1.5'), toMillicpu('100u'), toMillicpu('0')]).toEqual([1_500, 1, 0]);
  expect([toBytes('512Mi'), toBytes('0.5Gi'), toBytes('1.1')]).toEqual([536_870_912, 536_870_912, 2]);
  expect(() => toBytes('-1')).toThrow('"-1"');
});

// prettier-ignore
const LIMITS = [
  ['cpu',    '-1',         'must not be negative'],
  ['cpu',    '10E',        'must not be larger than 9223372036854775807'],
  ['cpu',    '1e999999',   'must not be larger than 9223372036854775807'],
  ['cpu',    '0',          'must be greater than zero'],
  ['memory', '6291455',    'must be at least 6Mi'],
  ['memory', '9000000000m', 'memory is counted in whole bytes, the suffix m means thousandths'],
  ['gpu',    '1500m',      'must be a whole number'],
] as const;
test.each(LIMITS)('%s of %s: %s', (of, text, problem) => {
  expect(quantityProblem(text, { of, limit: true })).toBe(problem);
});

test('the largest and the smallest that are allowed', () => {
  expect(quantityProblem('9223372036854775807', { of: 'memory', limit: true })).toBeUndefined();
  expect(quantityProblem('6Mi', { of: 'memory', limit: true })).toBeUndefined();
  expect(quantityProblem('0', { of: 'cpu', limit: false })).toBeUndefined();
  expect(quantityProblem(undefined, { of: 'cpu', limit: true })).toBeUndefined();
});

// prettier-ignore
const SCALE = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 } as const;
const suffix = fc.constantFrom(...(Object.keys(SCALE) as (keyof typeof SCALE)[]));

test('a decimal suffix and its exponent are the same quantity', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: 999 }), suffix, (whole, thousandths, word) => {
      const digits = `${whole}.${String(thousandths).padStart(3, '0')}`;
      expect(parseQuantity(`${digits}${word}`)).toBe(parseQuantity(`${digits}e${SCALE[word]}`));
    }),
  );
});

test('rounding up loses less than one nano-unit, and order is kept', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 10n ** 18n }), (one, other) => {
      const pico = (value: bigint) => parseQuantity(`${value}e-12`) ?? -1n;
      expect(pico(one) * 1_000n - one).toBeGreaterThanOrEqual(0n);
      expect(pico(one) * 1_000n - one).toBeLessThan(1_000n);
      expect(one <= other ? pico(one) <= pico(other) : pico(one) >= pico(other)).toBe(true);
    }),
  );
});

test('any text is a quantity or not, never an error', () => {
  const hostile = fc.oneof(fc.string(), fc.stringMatching(/^[+-]?[0-9.]{0,70}[eEinumkKMGTP]{0,3}[-+]?[0-9]{0,20}$/));
  fc.assert(fc.property(hostile, (text) => ['bigint', 'undefined'].includes(typeof parseQuantity(text))));
});
