import { expect, test } from 'vitest';
import fc from 'fast-check';
import { parseId, parseInteger, requireId } from '../../../reference/rows/id.js';

test.each([
  ['1', 1n],
  ['9007199254740991', 2n ** 53n - 1n],
  ['9007199254740993', 2n ** 53n + 1n],
  ['4060741400035622411', 4060741400035622411n],
  ['9223372036854775807', 2n ** 63n - 1n],
])('%s is an id', (text, id) => {
  expect(parseId(text)).toBe(id);
  expect(parseId(id)).toBe(id);
});

// prettier-ignore
const NO_IDS = [
  '', '0', '-0', '-5', '+1', '01', '1.0', '1e3', '1_000', ' 1', '1 ', '1\n', '0x10', '\u0661', '9223372036854775808',
  '18446744073709551616', '99999999999999999999', '9'.repeat(8_192), 'NaN', 'null', '__proto__',
  0n, -1n, 2n ** 63n, 1, 1.5, NaN, null, undefined, true, [], ['1'], {}, { id: 1n },
];
test.each(NO_IDS.map((given) => [given]))('%p is no id', (given) => {
  expect(parseId(given)).toBeUndefined();
  expect(() => requireId(given)).toThrow('an id is an integer from 1 to 9223372036854775807, in digits alone');
});

test('an integer of 64 bits has a sign and a zero', () => {
  expect(parseInteger('-9223372036854775808')).toBe(-(2n ** 63n));
  expect(parseInteger('0')).toBe(0n);
  for (const text of ['-0', '-01', '+5', '00', '9223372036854775808', '-9223372036854775809', '1.0', '']) {
    expect(parseInteger(text)).toBeUndefined();
  }
});

test('every id has exactly one spelling', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (id) => parseId(String(id)) === id),
    { numRuns: 5_000 },
  );
});
