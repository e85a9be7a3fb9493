import { expect, test } from 'vitest';
import fc from 'fast-check';
import { locateWords, splitWords, unitRange } from '../../../reference/lookup/normalization.js';

// prettier-ignore
const FOLDED: [string, string[]][] = [
  ['São Paulo', ['sao', 'paulo']],
  ['ŁÓDŹ', ['lodz']],
  ['Đà Nẵng', ['da', 'nang']],
  ['Tórshavn Ærø', ['torshavn', 'aero']],
  ['Þingvellir', ['thingvellir']],
  ['STRASSE straße STRAẞE', ['strasse', 'strasse', 'strasse']],
  ['İstanbul ISPARTA ısparta', ['istanbul', 'isparta', 'isparta']],
  ["'s-Hertogenbosch", ['s', 'hertogenbosch']],
  ['L’Aquila', ['laquila']],
  ['Nukuʻalofa', ['nukualofa']],
  ['ﬃ ① ½ Ⅷ', ['ffi', '1', '1', '2', 'viii']],
  ['ＴＯＫＹＯ', ['tokyo']],
  ['ΑΘΗΝΑΣ Αθήνας', ['αθηνασ', 'αθηνασ']],
  ['Йошкар-Ола', ['иошкар', 'ола']],
  ['المدينــة', ['المدينة']],
  ['soft\u00adhyphen zero\u200bwidth', ['softhyphen', 'zerowidth']],
  ['𝔅𝔢𝔯𝔩𝔦𝔫', ['berlin']],
  ['𐐀𐐁', ['𐐨𐐩']], // Deseret: two UTF-16 units per letter, and a case of its own
  ['서울', ['서울'.normalize('NFKD')]],
  ['--- !?', []],
  ['😀', []],
];
test.each(FOLDED)('%s', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 30 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 60 }),
);

test('both ways to split give the same words, of letters and digits alone', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const words = splitWords(text);
      expect(locateWords(text).map((word) => word.text)).toEqual(words);
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
    }),
  );
});

test('a word is its own only word', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const word of splitWords(text)) expect(splitWords(word)).toEqual([word]);
    }),
  );
});

test('composed and decomposed text give the same words', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const words = splitWords(text);
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) expect(splitWords(text.normalize(form))).toEqual(words);
    }),
  );
});

test('every unit of a word knows where it came from', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let last = 0;
      for (const word of locateWords(text)) {
        expect(unitRange(word, 0)[0]).toBe(word.start);
        for (const [unit, letter] of word.text.split('').entries()) {
          const [start, end] = unitRange(word, unit);
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(splitWords(text.slice(start, end)).join('')).toContain(letter);
          last = start;
        }
      }
    }),
  );
});
