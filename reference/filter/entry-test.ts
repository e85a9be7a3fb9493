import { SlipwayError, unreachable } from '../../platform/kinds/errors.js';
import {
  ABSENT,
  type IdColumn,
  type Int64Column,
  type NumberColumn,
  type ScalarColumn,
  type TextColumn,
  toNumber,
} from '../columns/column.js';
import { toHalves } from '../columns/int64.js';
import { compareRanges } from '../columns/text-dictionary.js';
import type { Scalar } from '../rows/value.js';
import { findTextsWith } from './literal-search.js';
import { compileLike, literalOf } from './like-matcher.js';
import type { Operator } from './operators.js';

/** Whether the value at an index fulfils a condition; false where nothing is there. */
export type EntryTest = (index: number) => boolean;
/** The operators that test for a value, not for its absence or difference. */
export type PositiveOperator = Exclude<Operator, '!=' | '=out=' | '=null='>;
/** Compares the value at an index with a constant: negative, 0, positive, or `NaN` where nothing is there. */
type Compare = (index: number) => number;
type CodeTest = (code: number) => boolean;

/** Compiles a condition on the values of a column, as they are typed by its leaf. */
export function compileEntry(column: ScalarColumn, operator: PositiveOperator, values: readonly Scalar[]): EntryTest {
  switch (column.kind) {
    case 'text':
      return textTest(column, operator, values);
    case 'id':
      return idTest(column, operator, values);
    case 'int64':
      return int64Test(column, operator, values);
    case 'number':
      return numberTest(column, operator, values);
  }
}

function textTest({ codes, dictionary }: TextColumn, operator: PositiveOperator, values: readonly Scalar[]): EntryTest {
  if (operator === '==' || operator === '=in=')
    return isOneOf(
      codes,
      values.map((value) => dictionary.find(String(value))),
    );
  const bytes = dictionary.bytes();
  const isShared = dictionary.size() < codes.length * WORTH_REMEMBERING;
  const remembered = (test: CodeTest) => (isShared ? remembering(test, dictionary.size()) : test);
  if (operator === '=like=') {
    const pattern = String(values[0]);
    return overCodes(codes, likeTest(pattern, dictionary, remembered(compileLike(pattern, bytes))));
  }
  const test: CodeTest = inOrder(operator, values, (value) => {
    const pool = Buffer.from(String(value));
    const constant = { pool, start: 0, end: pool.length };
    const { pool: texts, offsets } = bytes;
    return (code) => compareRanges({ pool: texts, start: offsets[code] ?? 0, end: offsets[code + 1] ?? 0 }, constant);
  });
  return overCodes(codes, remembered(test));
}

/** Most texts per row for which results are cached: above it hardly any text is tested twice. */
const WORTH_REMEMBERING = 0.9;

/** Texts tested one by one before one pass over all of them pays off. */
const PATIENCE = 8_192;
const SHORTEST_LITERAL = 3;

function likeTest(pattern: string, dictionary: TextColumn['dictionary'], matches: CodeTest): CodeTest {
  const literal = literalOf(pattern);
  if (literal.length < SHORTEST_LITERAL) return matches;
  const bytes = dictionary.bytes();
  const size = dictionary.size();
  let patience = PATIENCE;
  let holders: Uint8Array | undefined;
  return (code) => {
    if (patience > 0 && (patience -= 1) === 0) holders = findTextsWith(literal, size, bytes);
    return holders === undefined ? matches(code) : holders[code] === 1 && matches(code);
  };
}

function idTest({ codes, dictionary }: IdColumn, operator: PositiveOperator, values: readonly Scalar[]): EntryTest {
  if (operator === '==' || operator === '=in=') {
    return isOneOf(
      codes,
      values.map((value) => dictionary.find(value as bigint)),
    );
  }
  return overCodes(
    codes,
    inOrder(operator, values, (value) => compareHalves(dictionary.halves(), value)),
  );
}

function int64Test(column: Int64Column, operator: PositiveOperator, values: readonly Scalar[]): EntryTest {
  const { high, low, present } = column;
  if (operator === '==' || operator === '=in=') {
    const highs = new Map<number, number[]>();
    for (const value of values) {
      const wanted = toHalves(value as bigint);
      highs.set(wanted.low, [...(highs.get(wanted.low) ?? []), wanted.high]);
    }
    return (index) => present[index] === 1 && highs.get(low[index] ?? 0)?.includes(high[index] ?? 0) === true;
  }
  const test = inOrder(operator, values, (value) => compareHalves(column, value));
  return (index) => present[index] === 1 && test(index);
}

function numberTest(
  { values: held, absent }: NumberColumn,
  operator: PositiveOperator,
  values: readonly Scalar[],
): EntryTest {
  const numbers = values.map(toNumber);
  const [only] = numbers;
  if (operator === '==' && only !== undefined) return (index) => held[index] === only;
  if (operator === '=in=') {
    const wanted = new Set(numbers);
    return (index) => wanted.has(held[index] ?? NaN);
  }
  return inOrder(operator, numbers, (constant) => (index) => {
    const value = held[index] ?? NaN;
    return value === absent ? NaN : value - Number(constant);
  });
}

const isOneOf = (codes: Int32Array, wanted: readonly number[]): EntryTest => {
  const known = wanted.filter((code) => code !== ABSENT);
  const [only] = known;
  if (only === undefined) return () => false;
  if (known.length === 1) return (index) => codes[index] === only;
  const set = new Set(known);
  return (index) => set.has(codes[index] ?? ABSENT);
};

const overCodes =
  (codes: Int32Array, test: CodeTest): EntryTest =>
  (index) => {
    const code = codes[index] ?? ABSENT;
    return code !== ABSENT && test(code);
  };

/** Tests of a search before its results are cached. */
const FEW = 1_024;

/** Caches the results for values that several rows share, in two bits each: each value is tested once. */
function remembering(test: CodeTest, size: number): CodeTest {
  const [unknown, no, yes] = [0, 1, 2];
  let patience = FEW;
  let known: Uint8Array | undefined;
  return (code) => {
    if (patience > 0) {
      patience -= 1;
      return test(code);
    }
    known ??= new Uint8Array((size >> 2) + 1);
    const [byte, shift] = [code >> 2, (code & 3) << 1];
    let result = ((known[byte] ?? 0) >> shift) & 3;
    if (result === unknown) {
      result = test(code) ? yes : no;
      known[byte] = (known[byte] ?? 0) | (result << shift);
    }
    return result === yes;
  };
}

/** Compares 64-bit halves with a constant, a bigint of the typed filter. */
function compareHalves({ high, low }: Pick<Int64Column, 'high' | 'low'>, constant: Scalar): Compare {
  const wanted = toHalves(constant as bigint);
  return (index) => (high[index] ?? 0) - wanted.high || (low[index] ?? 0) - wanted.low;
}

function inOrder(
  operator: PositiveOperator,
  [first = '', second = '']: readonly Scalar[],
  compareWith: (constant: Scalar) => Compare,
): EntryTest {
  const compare = compareWith(first);
  switch (operator) {
    case '<':
      return (index) => compare(index) < 0;
    case '<=':
      return (index) => compare(index) <= 0;
    case '>':
      return (index) => compare(index) > 0;
    case '>=':
      return (index) => compare(index) >= 0;
    case '=between=': {
      const compareLast = compareWith(second);
      return (index) => compare(index) >= 0 && compareLast(index) <= 0;
    }
    case '==':
    case '=in=':
    case '=like=':
      throw new SlipwayError('internal', `${operator} is no order`);
    default:
      return unreachable(operator);
  }
}
