import { expect, test } from 'vitest';
import { createColumns, parseStoredRow } from '../../../reference/columns/index.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { parseOrder } from '../../../reference/dataset/order.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { requireFilter } from '../../../reference/filter/index.js';
import { compilePredicate } from '../../../reference/filter/predicate.js';
import { compileOrder } from '../../../reference/rows/row-order.js';

const TYPES = ['text', 'integer', 'id', 'decimal', 'boolean', 'date', 'timestamp'] as const;
type Type = (typeof TYPES)[number];

/** Values as they are stored, by the declaration that accepted them. */
const STORED: Record<Type, readonly string[]> = {
  text: ['"5"', '"9999999999999999999"', '"true"', '"2026-03-01"', '"2026-03-01T00:00:00.000Z"', '"x"', '""'],
  integer: ['5', '-1', '0', '1', '9223372036854775807', '-9223372036854775808'],
  id: ['"5"', '"9223372036854775807"'],
  decimal: ['0.5', '1e+300', '-1e+21', '1', '0', '100000000000000000000'],
  boolean: ['true', 'false'],
  date: ['"2026-03-01"', '"0001-01-01"'],
  timestamp: ['"2026-03-01T00:00:00.000Z"'],
};

/** Whether the type accepts the value too, so that its row may be found by it. */
const FITS: Record<Type, (text: string) => boolean> = {
  text: (text) => text.startsWith('"'),
  integer: (text) => /^"?-?\d{1,19}"?$/.test(text) && text !== '"9999999999999999999"',
  id: (text) => /^"?-?\d{1,19}"?$/.test(text) && text !== '"9999999999999999999"',
  decimal: (text) => !text.startsWith('"') && !/true|false/.test(text),
  boolean: (text) => /^(true|false)$/.test(text),
  date: (text) => /^"\d{4}-\d\d-\d\d"$/.test(text),
  timestamp: (text) => text.includes('T00'),
};
/** A condition that each value of the type fulfils. */
const EVERY: Record<Type, string> = {
  text: 'field >= ""',
  integer: 'field >= -9223372036854775808',
  id: 'field != 1',
  decimal: 'field > -1e308',
  boolean: 'field =in= (true, false)',
  date: 'field >= 0001-01-01',
  timestamp: 'field >= 0001-01-01T00:00:00Z',
};

const specOf = (type: Type) => DatasetSpec.parse({ fields: { field: { type } } });

const CHANGES = TYPES.flatMap((before) => TYPES.map((after) => ({ before, after })));

// Versions of the declaration before may still be read, by the columns of the declaration in force.
test.each(CHANGES)(
  'rows that were stored as $before are found as $after only where that type accepts them',
  ({ before, after }) => {
    const leaves = leavesOf(specOf(after));
    const columns = createColumns(leaves);
    const texts = STORED[before];
    texts.forEach((text, row) =>
      columns.set(
        row,
        parseStoredRow(
          `{"id":"${row + 1}","field":${text},"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}`,
        ),
      ),
    );
    const holds = (filter: string) => {
      const predicate = compilePredicate(requireFilter(filter, { dataset: 'rows', leaves }), columns);
      return texts.filter((_, row) => predicate(row));
    };
    const fitting = texts.filter((text) => FITS[after](text));
    expect(holds('field =null= false')).toEqual(fitting);
    expect(holds('field =null= true')).toEqual(texts.filter((text) => !fitting.includes(text)));
    if (after !== 'id') expect(holds(EVERY[after])).toEqual(fitting);
    // In an order those that hold no value come last.
    const { compare } = compileOrder(parseOrder('field', { dataset: 'rows', leaves }), columns);
    const sorted = texts.map((_, row) => row).sort(compare);
    expect(new Set(sorted.slice(0, fitting.length).map((row) => texts[row]))).toEqual(new Set(fitting));
  },
);

test('a text of digits that no integer holds is not found as a negative number', () => {
  const leaves = leavesOf(specOf('integer'));
  const columns = createColumns(leaves);
  columns.set(0, { id: '1', field: '9999999999999999999' });
  const predicate = compilePredicate(requireFilter('field < 0', { dataset: 'rows', leaves }), columns);
  expect(predicate(0)).toBe(false);
});
