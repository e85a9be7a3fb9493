import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowEffects } from '../../../reference/dataset/row-effects.js';
import type { Pending } from '../../../reference/dataset/hold.js';
import { RowStore } from '../../../reference/rows/row-store.js';
import { bodyOf, timeOf } from './change-logs.js';

/** Opens rows; changes with the word "refused" are not accepted by the declaration. */
function open() {
  const rows = new RowStore();
  const added: [row: number, body: string | null][] = [];
  const effects = createRowEffects({
    rows,
    accepts: ({ body }) => body === null || !body.includes('refused'),
    added: (row, body) => added.push([row, body]),
  });
  return { rows, added, ...effects };
}
const changeOf = (id: string, version: number, word: string | null): Pending => ({
  ...{ id, version, at: timeOf(version), schema: 1 },
  body: word === null ? null : bodyOf(id, version, word, timeOf(version)),
});
const wordAt = (rows: RowStore, id: bigint, position: number) => {
  const row = rows.findAt(id, position);
  if (row < 0) return undefined;
  const text = rows.bytes(row).toString();
  return [rows.version(row), rows.isDeleted(row) ? null : (JSON.parse(text) as { word: string }).word];
};

test('a change is the state of its entity from its position on, and observers see it', () => {
  const { rows, takeEffect, added } = open();
  takeEffect(changeOf('1', 1, 'a'), 10);
  takeEffect(changeOf('1', 2, 'b'), 20);
  takeEffect(changeOf('1', 3, null), 30);
  expect([9, 10, 19, 20, 30].map((position) => wordAt(rows, 1n, position))).toEqual([
    ...[undefined, [1, 'a'], [1, 'a'], [2, 'b'], [3, null]],
  ]);
  expect(added.map(([, body]) => body === null)).toEqual([false, false, true]);
});

test('a change that is not accepted counts its version and keeps the content before it', () => {
  const { rows, takeEffect } = open();
  takeEffect(changeOf('1', 1, 'a'), 1);
  takeEffect(changeOf('1', 2, 'refused'), 2);
  expect(wordAt(rows, 1n, 2)).toEqual([2, 'a']);
  const stored = JSON.parse(rows.bytes(rows.find(1n)).toString()) as { version: number };
  expect(stored.version).toBe(2);
});

test('a refused first change leaves an entity without content, and a refused change after a deletion a deleted one', () => {
  const { rows, takeEffect } = open();
  takeEffect(changeOf('1', 1, 'refused'), 1);
  expect(wordAt(rows, 1n, 1)).toEqual([1, null]);
  takeEffect(changeOf('2', 1, 'a'), 2);
  takeEffect(changeOf('2', 2, null), 3);
  takeEffect(changeOf('2', 3, 'refused'), 4);
  expect(wordAt(rows, 2n, 4)).toEqual([3, null]);
  // The time of the deletion stays that of the deletion.
  expect(rows.bytes(rows.find(2n)).toString()).toBe(timeOf(2));
});

test('rows are rewritten one by one without observers; deleted and unchanged ones are left', () => {
  const { rows, takeEffect, replaceRows, added } = open();
  for (const [id, word] of [
    ['1', 'a'],
    ['2', 'b'],
    ['3', null],
  ] as const)
    takeEffect(changeOf(id, 1, word), 1);
  const seen = added.length;
  const end = rows.end();
  let steps = 0;
  const rewriting = replaceRows((text) => ({ body: text.replace('"word":"a"', '"word":"A"'), at: timeOf(5) }), 5);
  for (const _ of rewriting) steps += 1;
  expect([steps, added.length, rows.end()]).toEqual([end, seen, end + 1]);
  expect([wordAt(rows, 1n, 4), wordAt(rows, 1n, 5), wordAt(rows, 2n, 5), wordAt(rows, 3n, 5)]).toEqual([
    ...[
      [1, 'a'],
      [1, 'A'],
      [1, 'b'],
      [1, null],
    ],
  ]);
});

test('without a declaration every row is deleted, and its version does not change', () => {
  const { rows, takeEffect, replaceRows } = open();
  takeEffect(changeOf('1', 7, 'a'), 1);
  for (const _ of replaceRows(() => ({ body: null, at: timeOf(9) }), 2));
  expect([wordAt(rows, 1n, 1), wordAt(rows, 1n, 2), rows.live()]).toEqual([[7, 'a'], [7, null], 0]);
});

test('at every position each entity has the content of its last accepted change', () => {
  const word = fc.constantFrom('a', 'b', 'refused', null);
  fc.assert(
    fc.property(fc.array(fc.record({ id: fc.constantFrom('1', '2', '3'), word }), { maxLength: 30 }), (changes) => {
      const { rows, takeEffect } = open();
      const model = new Map<string, { version: number; word: string | null }>();
      const history: Map<string, { version: number; word: string | null }>[] = [];
      for (const [index, { id, word: next }] of changes.entries()) {
        const before = model.get(id);
        const version = (before?.version ?? 0) + 1;
        takeEffect(changeOf(id, version, next), index + 1);
        model.set(id, { version, word: next === 'refused' ? (before?.word ?? null) : next });
        history.push(new Map(model));
      }
      for (const [index, state] of history.entries()) {
        for (const [id, { version, word: content }] of state) {
          expect(wordAt(rows, BigInt(id), index + 1)).toEqual([version, content]);
        }
      }
      expect(rows.live()).toBe([...model.values()].filter((each) => each.word !== null).length);
    }),
    { numRuns: 200 },
  );
});
