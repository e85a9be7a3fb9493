import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { createColumn, type ListColumn, presenceOf } from '../../../reference/columns/column.js';
import { fromHalves } from '../../../reference/columns/int64.js';
import { setList } from '../../../reference/columns/list-column.js';
import type { ScalarType } from '../../../reference/dataset/dataset-field.js';
import { leafOf } from './typed-leaf.js';

function listOf(type: ScalarType): ListColumn {
  const column = createColumn(leafOf(type, { list: true }));
  if (column.kind !== 'list') throw new Error('a list was declared');
  return column;
}

/** The entries of a row as plain numbers; undefined where no list is there. */
function entriesOf({ starts, counts, items }: ListColumn, row: number): number[] | undefined {
  const count = counts[row] ?? -1;
  if (count < 0) return undefined;
  return Array.from({ length: count }, (_, at) => {
    const entry = (starts[row] ?? 0) + at;
    switch (items.kind) {
      case 'text':
        return Number(items.dictionary.text(items.codes[entry] ?? -1));
      case 'id':
        return Number(items.dictionary.value(items.codes[entry] ?? -1));
      case 'int64':
        return Number(fromHalves(items.high[entry] ?? 0, items.low[entry] ?? 0));
      case 'number':
        return Number(items.values[entry]);
    }
  });
}

const TYPES = { text: String, id: (value: number) => String(value + 1), integer: Number, decimal: Number } as const;

test.each(['text', 'id', 'integer', 'decimal'] as const)(
  'lists of %s keep their entries while rows are set again',
  (type) => {
    const { below } = createDraw(9);
    const column = listOf(type);
    const model = new Map<number, number[] | undefined>();
    const write: (value: number) => unknown = TYPES[type];
    for (let step = 0; step < 2_600; step += 1) {
      const row = below(60);
      const values = below(6) === 0 ? undefined : Array.from({ length: below(60) }, () => below(500));
      model.set(row, values);
      setList(column, row, values?.map(write));
    }
    const shift = type === 'id' ? 1 : 0;
    for (const [row, values] of model) {
      expect([row, entriesOf(column, row)]).toEqual([row, values?.map((value) => value + shift)]);
      expect(presenceOf(column)(row)).toBe(values !== undefined);
    }
    expect(column.live).toBe([...model.values()].reduce((sum, values) => sum + (values?.length ?? 0), 0));
    // Garbage is bounded, whatever was set before.
    expect(column.used).toBeLessThanOrEqual(2 * column.live + 65_536 + 60);
  },
);

test('an empty list is there, and what is no list is not', () => {
  const column = listOf('text');
  [[], ['1'], undefined, null, 'text', { length: 1 }].forEach((value, row) => setList(column, row, value));
  expect([0, 1, 2, 3, 4, 5, 6].map((row) => entriesOf(column, row))).toEqual([
    [],
    [1],
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a reader keeps the entries that it began with while the column is compacted', () => {
  const column = listOf('integer');
  setList(column, 0, [1, 2, 3]);
  const { starts, items } = column;
  const before = { ...column, starts, items };
  for (let round = 0; round < 600; round += 1)
    setList(
      column,
      1,
      Array.from({ length: 120 }, () => round),
    );
  expect(column.items).not.toBe(items); // it was compacted
  expect(entriesOf(before, 0)).toEqual([1, 2, 3]);
  expect(entriesOf(column, 0)).toEqual([1, 2, 3]);
  expect(entriesOf(column, 1)?.[119]).toBe(599);
});
