import { expect, test } from 'vitest';
import fc from 'fast-check';
import { parseStoredRow } from '../../../reference/columns/index.js';
import { finish } from '../../../reference/lookup/steps.js';
import { parseOrder, orderText } from '../../../reference/dataset/order.js';
import { TopRows, topRows } from '../../../reference/rows/top-rows.js';
import { compileOrder } from '../../../reference/rows/row-order.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { target } from '../filter/positions.js';
import { columnsOf, sampleRows, toSampleRow } from '../filter/rows.js';

// prettier-ignore
test.each([
  ['', 'id'],
  ['starts_on', 'starts_on,id'],
  [' starts_on  DESC , customer.name asc', 'starts_on desc,customer.name,id'],
  ['id desc', 'id desc'],
  ['title,id desc,head_count', 'title,id desc,head_count'],
  ['updated_at desc', 'updated_at desc,id'],
])('%j is the order %s', (text, expected) => {
  expect(orderText(parseOrder(text, target))).toBe(expected);
});

// prettier-ignore
test.each([
  ['titel', 'order.unknown_field', "positions has no field 'titel'", 0, 5, 'title'],
  ['title, starts', 'order.unknown_field', "positions has no field 'starts'", 7, 6, undefined],
  ['tags', 'order.unknown_field', 'positions cannot be sorted by tags', 0, 4, undefined],
  ['constructor', 'order.unknown_field', "positions has no field 'constructor'", 0, 11, undefined],
  ['title up', 'order.invalid', 'a key is a field, alone or with asc or desc', 0, 8, undefined],
  ['title,', 'order.unknown_field', "positions has no field ''", 6, 0, undefined],
  ['title,title desc', 'order.invalid', 'duplicate key title', 6, 10, undefined],
  ['title,head_count,day_rate,id', 'order.invalid', 'an order has at most 3 keys', 26, 2, undefined],
])('%j is no order', (text, code, message, offset, length, suggestion) => {
  let error: unknown;
  try {
    parseOrder(text, target);
  } catch (err) {
    error = err;
  }
  if (!(error instanceof SlipwayError)) throw error;
  expect(error).toMatchObject({ code, status: 400, message });
  expect(error.problems).toMatchObject([{ code, parameter: 'order_by', position: { offset, length, line: 1, column: offset + 1 } }]);
  expect(error.problems[0]?.suggestion).toBe(suggestion);
});

const rows = sampleRows(80, 3);
const columns = columnsOf(rows);
const all = Int32Array.from(rows.keys());
const sorted = (text: string, values: (at: number) => unknown) =>
  topRows(all, { order: compileOrder(parseOrder(text, target), columns), size: 80 }).map(values);

/** Compares rows by their values alone, as an oracle. */
function expected(path: string, descending: boolean, enumValues?: readonly string[]) {
  const rank = (value: unknown) => (enumValues ? enumValues.indexOf(String(value)) : value);
  const compare = (one: unknown, other: unknown): number => {
    if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string));
    return (one as number) < (other as number) ? -1 : one === other ? 0 : 1;
  };
  return rows
    .map(({ content }) => ({ id: content.id, value: (content as Record<string, unknown>)[path] }))
    .sort((one, other) => {
      if (one.value === undefined || other.value === undefined) {
        return Number(one.value === undefined) - Number(other.value === undefined) || compare(one.id, other.id);
      }
      return compare(rank(one.value), rank(other.value)) * (descending ? -1 : 1) || compare(one.id, other.id);
    })
    .map(({ id }) => id);
}

test.each(['title', 'head_count', 'day_rate', 'remote', 'starts_on', 'posted_at'])('rows are ordered by %s', (path) => {
  expect(sorted(path, (at) => rows[at]?.content.id)).toEqual(expected(path, false));
  expect(sorted(`${path} desc`, (at) => rows[at]?.content.id)).toEqual(expected(path, true));
});

test('values of an enum are ordered as they are declared', () => {
  const values = ['Open', 'Filled', 'On Hold', 'Closed'];
  expect(sorted('staffing_status', (at) => rows[at]?.content.id)).toEqual(expected('staffing_status', false, values));
});

test('a reference is ordered by its id, and later keys decide between equals', () => {
  const made = [5n, 2n ** 40n, undefined, 5n].map((id, at) =>
    toSampleRow(BigInt(10 - at), { location: id && { id }, remote: at === 3 }),
  );
  const page = (text: string) =>
    topRows(Int32Array.of(0, 1, 2, 3), { order: compileOrder(parseOrder(text, target), columnsOf(made)), size: 9 });
  expect(page('location.id')).toEqual([3, 0, 1, 2]);
  expect(page('location.id desc,remote')).toEqual([1, 0, 3, 2]);
  expect(page('')).toEqual([3, 2, 1, 0]);
});

test('texts that begin alike, and integers that a number cannot tell apart, are ordered to their ends', () => {
  const made = ['Position b', 'Position a', 'Position', 'Position a!', 'Positio'].map((title, at) =>
    toSampleRow(BigInt(at + 1), { title, staffing_status: 'Open', head_count: 2n ** 62n - BigInt(at % 3) }),
  );
  const page = (text: string) =>
    topRows(Int32Array.from(made.keys()), {
      order: compileOrder(parseOrder(text, target), columnsOf(made)),
      size: 4,
    });
  expect(page('title')).toEqual([4, 2, 1, 3]);
  expect(page('title desc')).toEqual([0, 3, 1, 2]);
  expect(page('head_count,title desc')).toEqual([2, 1, 4, 0]);
});

test('rows that come in pieces are the same first rows', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...all]), fc.integer({ min: 1, max: 90 }), fc.nat(80), (subset, size, cut) => {
      const order = compileOrder(parseOrder('title desc', target), columns);
      const first = new TopRows({ order, size });
      first.take(Int32Array.from(subset.slice(0, cut)));
      first.take(Int32Array.from(subset.slice(cut)));
      expect(first.list()).toEqual([...subset].sort(order.compare).slice(0, size));
    }),
    { numRuns: 300 },
  );
});

test('rows are in the same order when the texts of the first key were sorted, and when others came since', () => {
  const some = columnsOf(rows.slice(0, 30));
  for (const path of ['title', 'customer.name']) {
    const steps = some.sorting(path);
    if (steps === undefined) throw new Error(`${path} is not sorted`);
    finish(steps);
  }
  for (const [at, { text }] of rows.entries()) some.set(at, parseStoredRow(text));
  for (const text of [
    'title',
    'title desc',
    'customer.name',
    'customer.name desc,title desc',
    'staffing_status,title',
  ]) {
    const order = parseOrder(text, target);
    const page = topRows(all, { order: compileOrder(order, some), size: 80 });
    expect(page).toEqual([...all].sort(compileOrder(order, columns).compare));
  }
});

test('pages one after the other are the whole, in order, each row once', () => {
  const keys = fc.uniqueArray(fc.constantFrom('title', 'head_count desc', 'remote', 'customer.name desc', 'id desc'), {
    minLength: 0,
    maxLength: 3,
  });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 20 }), fc.shuffledSubarray([...all]), (order, size, subset) => {
      const rowOrder = compileOrder(parseOrder(order.join(','), target), columns);
      const whole = [...subset].sort(rowOrder.compare);
      const walked: number[] = [];
      for (;;) {
        const page = topRows(Int32Array.from(subset), { order: rowOrder, size, after: walked.at(-1) });
        walked.push(...page);
        if (page.length < size) break;
      }
      expect(walked).toEqual(whole);
    }),
    { numRuns: 300 },
  );
  expect(topRows(all, { order: { compare: () => 0, rank: () => 0 }, size: 0 })).toEqual([]);
});
