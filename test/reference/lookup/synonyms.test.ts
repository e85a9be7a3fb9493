import { expect, test } from 'vitest';
import { createSynonyms } from '../../../reference/lookup/synonyms.js';

const queries = (sets: Parameters<typeof createSynonyms>[0], typed: string) =>
  createSynonyms(sets)(typed.split(' ')).map((words) => words.join(' '));

test('each word of a set is replaced by the others, phrases of several words too', () => {
  expect(queries([{ words: ['Street', 'St.'] }], 'main st')).toEqual(['main st', 'main street']);
  expect(queries([{ words: ['nyc', 'New York'] }], 'new york opera')).toEqual(['new york opera', 'nyc opera']);
  expect(queries([{ words: ['nyc', 'New York'] }], 'new yorkshire')).toEqual(['new yorkshire']);
});

test('a one-way set is not applied backwards', () => {
  const sets = [{ words: ['nyc'], means: ['new york', 'manhattan'] }];
  expect(queries(sets, 'nyc')).toEqual(['nyc', 'new york', 'manhattan']);
  expect(queries(sets, 'new york')).toEqual(['new york']);
});

test('queries stay bounded, and those with the fewest replaced words come first', () => {
  const words = Array.from({ length: 5 }, (_, at) => `w${at}`);
  const many = queries([{ words }], 'w0 w0 w0');
  expect(many).toHaveLength(8);
  expect(many.slice(0, 5)).toEqual(['w0 w0 w0', 'w1 w0 w0', 'w2 w0 w0', 'w3 w0 w0', 'w4 w0 w0']);
  expect(queries([{ words: ['a', 'a b c d e'] }], 'a '.repeat(9).trim()).every((each) => each.split(' ').length <= 10)).toBe(true); // prettier-ignore
});
