import { expect, test } from 'vitest';
import fc from 'fast-check';
import { decodeKeys, encodeKeys } from '../../../platform/stores/mongo-key-encoding.js';

test('any JSON comes back, and no stored key holds a character that a document refuses', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const stored = encodeKeys(value);
      expect(decodeKeys(stored)).toEqual(value);
      JSON.stringify(stored, (key, item: unknown) => {
        expect(key).not.toMatch(/[.$\0]/);
        return item;
      });
    }),
  );
});

test('keys read well, and lookalikes stay apart', () => {
  const given = { 'a.b': 1, 'a%2eb': 2, $ref: 3, '%': 4, '': 5 };
  expect(encodeKeys(given)).toEqual({ 'a%2eb': 1, 'a%252eb': 2, '%24ref': 3, '%25': 4, '%': 5 });
  expect(decodeKeys(encodeKeys(given))).toEqual(given);
});
