import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import {
  ABSENT,
  createColumn,
  presenceOf,
  type ScalarColumn,
  setValue,
  toNumber,
} from '../../../reference/columns/column.js';
import { fromHalves } from '../../../reference/columns/int64.js';
import type { ScalarType } from '../../../reference/dataset/dataset-field.js';
import { leafOf } from './typed-leaf.js';

function scalar(type: ScalarType, path = 'field'): ScalarColumn {
  const column = createColumn(leafOf(type, { path, steps: [path] }));
  if (column.kind === 'list') throw new Error('no list was declared');
  return column;
}

/** The value at an index, in the form in which filters compare it; undefined where nothing is there. */
function held(column: ScalarColumn, at: number): unknown {
  if (!presenceOf(column)(at)) return undefined;
  switch (column.kind) {
    case 'text':
      return column.dictionary.text(column.codes[at] ?? ABSENT);
    case 'id':
      return column.dictionary.value(column.codes[at] ?? ABSENT);
    case 'int64':
      return fromHalves(column.high[at] ?? 0, column.low[at] ?? 0);
    case 'number':
      return column.values[at];
  }
}

const INTEGERS = [0n, -1n, 1n, 2n ** 31n, -(2n ** 32n), 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];

test.each<[ScalarType, readonly unknown[], readonly unknown[]]>([
  ['text', ['', 'a', 'é', '😀', 'a'], ['', 'a', 'é', '😀', 'a']],
  ['enum', ['high', 'low'], ['high', 'low']],
  ['id', ['1', '9223372036854775807', 7n, 7], [1n, 2n ** 63n - 1n, 7n, 7n]],
  ['integer', INTEGERS, INTEGERS],
  ['integer', [0, -5, 2 ** 40, '-12'], [0n, -5n, 2n ** 40n, -12n]],
  ['decimal', [0.1, -1e300, 5, 12n], [0.1, -1e300, 5, 12]],
  ['boolean', [true, false], [1, 0]],
  ['date', ['1970-01-01', '1969-12-31', '2026-03-01', '0001-01-01'], [0, -1, 20_513, -719_162]],
  ['timestamp', ['1970-01-01T00:00:00.000Z', '2026-03-01T08:00:00.250Z'], [0, Date.UTC(2026, 2, 1, 8, 0, 0, 250)]],
])('a column of type %s holds what is set', (type, given, expected) => {
  const column = scalar(type);
  given.forEach((value, at) => setValue(column, at, value));
  expect(given.map((_, at) => held(column, at))).toEqual(expected);
});

// Under an earlier declaration a value may have had another type.
test.each<[ScalarType, readonly unknown[]]>([
  ['text', [undefined, null, 5, 5n, true, ['a'], { id: '1' }]],
  ['enum', [undefined, 1]],
  ['id', [undefined, null, 'abc', '', '1.5', 1.5, true, {}, 1e20, 2n ** 63n, '9999999999999999999']],
  ['integer', [undefined, null, 1.5, 'x', '1e3', Number.NaN, false, 1e300, 2 ** 63, -(2n ** 63n) - 1n]],
  ['integer', ['9223372036854775808', '-9223372036854775809', '9999999999999999999', '2026-03-01']],
  ['decimal', [undefined, null, 'text', '1.5', Number.NaN, true, '2026-03-01', '2026-03-01T00:00:00.000Z']],
  ['boolean', [undefined, null, 'true', 1, 0, 5n, 300, 1.5, '2026-03-01']],
  ['date', [undefined, null, 'soon', '2026-3-1', 5, 20_513n, true, '2026-03-01T00:00:00.000Z']],
  ['timestamp', [undefined, null, 'now', '2026', 0, 1_700_000_000_000n, false, '2026-03-01']],
])('in a column of type %s a value of another type is absent', (type, given) => {
  const column = scalar(type);
  given.forEach((value, at) => setValue(column, at, value));
  expect(given.map((_, at) => held(column, at))).toEqual(given.map(() => undefined));
});

test.each<ScalarType>(['text', 'enum', 'id', 'integer', 'decimal', 'boolean', 'date', 'timestamp'])(
  'a column of type %s holds nothing beyond its end, also after it grew',
  (type) => {
    const column = scalar(type);
    const has = (at: number) => presenceOf(column)(at);
    expect([0, 1, 5_000].map(has)).toEqual([false, false, false]);
    const value = { text: 'a', enum: 'low', boolean: true, date: '2026-01-01', timestamp: '2026-01-01T00:00:00.000Z' };
    setValue(column, 3_000, type in value ? value[type as keyof typeof value] : 7);
    expect([0, 2_999, 3_000, 3_001, 9_999].map(has)).toEqual([false, false, true, false, false]);
    setValue(column, 3_000, undefined);
    expect(has(3_000)).toBe(false);
  },
);

test('values set at random places in random order are all there', () => {
  const { below } = createDraw(5);
  const [integers, ids, texts] = [scalar('integer'), scalar('id'), scalar('text')];
  const model = new Map<number, number | undefined>();
  for (let step = 0; step < 4_000; step += 1) {
    const at = below(5_000);
    const value = below(4) === 0 ? undefined : below(300);
    model.set(at, value);
    setValue(integers, at, value);
    setValue(ids, at, value);
    setValue(texts, at, value === undefined ? undefined : `t${value}`);
  }
  const wrong = [...model].filter(([at, value]) => {
    const whole = value === undefined ? undefined : BigInt(value);
    const text = value === undefined ? undefined : `t${value}`;
    return held(integers, at) !== whole || held(ids, at) !== whole || held(texts, at) !== text;
  });
  expect(wrong).toEqual([]);
});

test('the values of an enum have numbers in declared order before any row does', () => {
  const column = scalar('enum');
  if (column.kind !== 'text') throw new Error('enums are coded');
  expect(['low', 'middle', 'high', 'other'].map((value) => column.dictionary.find(value))).toEqual([0, 1, 2, -1]);
});

test('the id of a row needs no dictionary, and a version is a plain number', () => {
  expect([scalar('id', 'id').kind, scalar('id', 'place.id').kind]).toEqual(['int64', 'id']);
  expect([scalar('integer', 'version').kind, scalar('integer', 'size').kind]).toEqual(['number', 'int64']);
});

test.each([
  ['2026-03-01', 20_513],
  ['1970-01-02', 1],
  ['1970-01-01T00:00:00.001Z', 1],
  [12n, 12],
  [true, 1],
  [false, 0],
  [-0.5, -0.5],
])('%s is the number %d', (value, number) => {
  expect(toNumber(value)).toBe(number);
});

test('a growing column leaves the arrays of its readers as they were', () => {
  const column = scalar('decimal');
  if (column.kind !== 'number') throw new Error('decimals are numbers');
  setValue(column, 0, 1.5);
  const before = column.values;
  setValue(column, 10_000, 2.5);
  expect(column.values).not.toBe(before);
  expect([before[0], before[10_000], column.values[0]]).toEqual([1.5, undefined, 1.5]);
});
