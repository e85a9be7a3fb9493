import { expect, test } from 'vitest';
import fc from 'fast-check';
import { badBase64Byte } from '../../../platform/kinds/base64.js';

// Results of Go's base64.StdEncoding.
// prettier-ignore
const POSITIONS = [
  ['!', 0], ['QUI', 0], ['QUJDQ', 4], ['QUJDQUJ', 4], ['QUJDQUI=x', 8], ['QQ=', 3], ['QQ=x', 2], ['=', 0], ['Q=', 1],
  ['Q===', 1], ['QUJD=', 4], ['QQ==QQ==', 4], ['QU-C', 2], ['é', 0], ['QUé', 2], ['QUJD\r\nQ', 6], ['QQ=\n', 4], ['*****', 0],
] as const;
test.each(POSITIONS)('%j is bad at byte %i', (text, at) => {
  expect(badBase64Byte(text)).toBe(at);
});

test.each(['', 'QQ==', 'QUI=', 'QUJD', 'QU\nJD', 'QQ=\r\n=', '\n', 'QUJD\n', 'QUI=\n\n'])('%j is good', (text) => {
  expect(badBase64Byte(text)).toBeUndefined();
});

test('the output of an encoder is good, and a bad character is found at its index', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, seed) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(badBase64Byte(text)).toBeUndefined();
      const at = seed % text.replace(/=+$/, '').length;
      expect(badBase64Byte(`${text.slice(0, at)}%${text.slice(at + 1)}`)).toBe(at);
    }),
  );
});
