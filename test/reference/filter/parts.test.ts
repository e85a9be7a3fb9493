import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStoredRow } from '../../../reference/columns/index.js';
import { findAccessPath } from '../../../reference/filter/access-path.js';
import { explainFilter, type Filter, parseFilter } from '../../../reference/filter/index.js';
import { FILTER_LIMITS } from '../../../reference/filter/limits.js';
import {
  NEAR,
  foreignOperator,
  operatorOf,
  OPERATORS,
  operatorsFor,
  operatorSpellings,
} from '../../../reference/filter/operators.js';
import { costOf } from '../../../reference/filter/predicate.js';
import { suggest } from '../../../reference/filter/suggestion.js';
import { type FilterTestResult, testRow } from '../../../reference/filter/test-result.js';
import { createTokens, quote, valueOf } from '../../../reference/filter/tokens.js';
import { filterCase } from './cases.js';
import { fulfils } from './naive.js';
import { read, refusal, target } from './positions.js';
import { columnsOf, sampleRows } from './rows.js';

const rows = sampleRows(40, 5);
const columns = columnsOf(rows);
while (columns.maintain());

/** The result of a filter by the results of its conditions. */
function byTerms(result: FilterTestResult): boolean {
  if ('condition' in result) return result.holds;
  const terms = result.terms.map(byTerms);
  if (result.of === 'not') return terms[0] === false;
  return result.of === 'all of' ? terms.every(Boolean) : terms.some(Boolean);
}

test('a row is tested condition by condition, with the result of the whole', () => {
  fc.assert(
    fc.property(filterCase, fc.nat(39), ({ text, meaning }, at) => {
      const { content, text: stored } = rows[at] ?? { content: {}, text: '{}' };
      const result = testRow(read(text), parseStoredRow(stored));
      expect([text, result.holds, byTerms(result)]).toEqual([text, fulfils(meaning, content), result.holds]);
      JSON.stringify(result); // it is sent as JSON: no bigint in it
    }),
    { numRuns: 120 },
  );
});

const conditionsOf = (filter: Filter): Filter[] =>
  filter.kind === 'condition' || filter.kind === 'near'
    ? [filter]
    : filter.kind === 'not'
      ? conditionsOf(filter.term)
      : filter.terms.flatMap(conditionsOf);

test('an explanation has a line per condition and junction, indented by depth', () => {
  const lineCount = (filter: Filter): number => {
    if (filter.kind === 'condition' || filter.kind === 'near') return 1;
    return 1 + (filter.kind === 'not' ? [filter.term] : filter.terms).reduce((sum, term) => sum + lineCount(term), 0);
  };
  fc.assert(
    fc.property(filterCase, ({ text }) => {
      const filter = read(text);
      const noted = new Set<unknown>();
      // Values may have line ends of their own, which are written as escapes.
      const lines = explainFilter(filter, (condition) => (noted.add(condition), 'note')).split('\n');
      expect([text, lines.length]).toEqual([text, lineCount(filter)]);
      expect([...noted]).toEqual(conditionsOf(filter));
      expect(lines.filter((line) => line.endsWith('(note)'))).toHaveLength(noted.size);
    }),
    { numRuns: 100 },
  );
});

test('an access path visits every row that fulfils the filter, and no more than it announced', () => {
  let found = 0;
  fc.assert(
    fc.property(filterCase, ({ text, meaning }) => {
      const filter = read(text);
      const access = findAccessPath(filter, {
        columns,
        findId: (id) => rows.findIndex(({ content }) => content.id === id),
      });
      if (access === undefined) return;
      found += 1;
      const visited: number[] = [];
      access.each((row) => void visited.push(row));
      expect([text, visited.length <= access.rows]).toEqual([text, true]);
      const wanted = rows.flatMap(({ content }, at) => (fulfils(meaning, content) ? [at] : []));
      expect([text, wanted.filter((row) => !visited.includes(row))]).toEqual([text, []]);
      for (const condition of access.conditions) expect(conditionsOf(filter)).toContain(condition);
    }),
    { numRuns: 400 },
  );
  expect(found).toBeGreaterThan(2);
});

test.each([
  ['id == 5', true],
  ['title == a', true],
  ['title != a', false],
  ['title =like= "a*"', false],
  ['head_count == 5', false],
  ['head_count == 5 and title == a', true],
  ['head_count == 5 or title == a', false],
  ['title == a or id =in= (1, 2)', true],
  ['not(title == a)', false],
  ['skills.id =in= (1, 2)', true],
  ['tags =out= (a)', false],
])('%s has an access path: %s', (text, has) => {
  expect(findAccessPath(read(text), { columns, findId: () => -1 }) !== undefined).toBe(has);
});

test('cheap conditions cost less than those on texts and lists, and a junction costs its terms', () => {
  const cost = (text: string) => costOf(read(text));
  expect(cost('remote == true')).toBeLessThan(cost('title =like= "a*"'));
  expect(cost('head_count == 1')).toBeLessThan(cost('counts == 1'));
  expect(cost('title == a')).toBeLessThan(cost('title < a'));
  expect(cost('remote == true and title < a')).toBe(cost('remote == true') + cost('title < a'));
  expect(cost('not(title < a)')).toBe(cost('title < a'));
});

test('tokens cover a text without overlap, whatever it is, and end with the end', () => {
  const piece = fc.constantFrom(
    'a',
    ' ',
    '"',
    "'",
    '\\',
    '(',
    ')',
    ',',
    ';',
    '=',
    '!',
    '~',
    '<',
    '>',
    '=in=',
    'é',
    '😀',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('');
      const tokenAt = createTokens(text);
      let end = 0;
      for (let at = 0; tokenAt(at).kind !== 'end'; at += 1) {
        const token = tokenAt(at);
        expect(text.slice(end, token.start).trim()).toBe('');
        expect([text.slice(token.start, token.end), token.end > token.start]).toEqual([token.raw, true]);
        end = token.end;
      }
      expect(text.slice(end).trim()).toBe('');
    }),
    { numRuns: 300 },
  );
});

test('a quoted value is one token with that value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), (value) => {
      const tokenAt = createTokens(quote(value));
      expect([valueOf(tokenAt(0)), tokenAt(1).kind]).toEqual([value, 'end']);
    }),
    { numRuns: 150 },
  );
});

test('each spelling of an operator is that operator, and each type has the operators that list it', () => {
  for (const spelling of operatorSpellings.filter((each) => each !== NEAR)) {
    const operator = operatorOf(spelling);
    expect(operator !== undefined && (operator === spelling || OPERATORS[operator].also.includes(spelling))).toBe(true);
  }
  expect(operatorsFor('boolean')).toEqual(['==', '!=', '=in=', '=out=', '=null=']);
  expect(operatorsFor('text')).toEqual(Object.keys(OPERATORS));
  expect(operatorsFor('decimal')).not.toContain('=like=');
});

test.each([
  ['eq', '=='],
  ['=EQ=', '=='],
  ['<>', '!='],
  ['gte', '>='],
  ['Between', '=between='],
  ['=nin=', '=out='],
  ['?', undefined],
])('the foreign operator %s means %s', (written, operator) => {
  expect(foreignOperator(written)).toBe(operator);
});

test.each([
  ['titel', 'title'],
  ['TITLE', 'title'],
  ['tag', 'tags'],
  ['x', undefined],
  ['staffing', undefined],
  ['head-count', 'head_count'],
  ['t'.repeat(101), undefined],
  ['', undefined],
])('for %j the suggestion is %s', (written, suggestion) => {
  expect(suggest(written, ['title', 'tags', 'head_count', 'staffing_status'])).toBe(suggestion);
});

const codes = (text: string) => refusal(text).map(({ code }) => code);
const repeated = (count: number, text: string, joint: string) => Array.from({ length: count }, () => text).join(joint);

test.each([
  [
    'terms',
    repeated(FILTER_LIMITS.terms, 'remote == true', ' and '),
    repeated(FILTER_LIMITS.terms + 1, 'remote == true', ' and '),
    'too_many_terms',
  ],
  [
    'values',
    `id =in= (${repeated(FILTER_LIMITS.values, '1', ',')})`,
    `id =in= (${repeated(FILTER_LIMITS.values + 1, '1', ',')})`,
    'too_many_values',
  ],
  ['depth', `${'('.repeat(16)}id == 1${')'.repeat(16)}`, `${'('.repeat(17)}id == 1${')'.repeat(17)}`, 'too_deep'],
  ['bytes', `title == ${'é'.repeat((8_192 - 10) / 2)}`, `title == ${'é'.repeat(4_092)}`, 'too_long'],
])('a filter has at most so many %s', (_, allowed, refused, code) => {
  expect(parseFilter(allowed, target).ok).toBe(true);
  expect(codes(refused)).toEqual([`filter.${code}`]);
});
