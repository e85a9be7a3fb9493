import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { narrowings } from '../../../reference/dataset/compatibility.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import {
  addCommitTime,
  type CommitTime,
  dropCommitTimes,
  positionAt,
} from '../../../reference/dataset/commit-times.js';
import { cacheByDeclaration } from '../../../reference/dataset/declaration-cache.js';
import { beginningAfter, isHeldAfter } from '../../../reference/dataset/log-beginning.js';
import { readRow } from '../../../reference/rows/row.js';
import { changeOf, place, WORDS } from './change-logs.js';

const fieldsOf = (fields: object) => DatasetSpec.parse({ fields }).fields;
const count = (before: object, after: object) => narrowings(fieldsOf(before), fieldsOf(after)).length;
const text = { type: 'text' };

// prettier-ignore
test.each<[string, object, object, number]>([
  ['nothing changes',                 { a: text }, { a: text }, 0],
  ['a field is new',                  { a: text }, { a: text, b: text }, 0],
  ['a field is new and required',     { a: text }, { a: text, b: { ...text, required: true } }, 1],
  ['a field is gone',                 { a: text, b: text }, { a: text }, 1],
  ['a field is required now',         { a: text }, { a: { ...text, required: true } }, 1],
  ['a field is not required any more', { a: { ...text, required: true } }, { a: text }, 0],
  ['a text may be longer',            { a: { ...text, max_length: 5 } }, { a: { ...text, max_length: 6 } }, 0],
  ['a text must be shorter',          { a: { ...text, max_length: 6 } }, { a: { ...text, max_length: 5 } }, 1],
  ['an enum has more values',         { a: { type: 'enum', values: ['x'] } }, { a: { type: 'enum', values: ['y', 'x'] } }, 0],
  ['an enum lost a value',            { a: { type: 'enum', values: ['x', 'y'] } }, { a: { type: 'enum', values: ['x', 'z'] } }, 1],
  ['another type',                    { a: { type: 'integer' } }, { a: { type: 'decimal' } }, 1],
  ['one value becomes a list',        { a: text }, { a: { type: 'list', of: text } }, 1],
  ['entries of another type',         { a: { type: 'list', of: text } }, { a: { type: 'list', of: { type: 'id' } } }, 1],
  ['entries must be shorter',         { a: { type: 'list', of: { ...text, max_length: 9 } } }, { a: { type: 'list', of: { ...text, max_length: 8 } } }, 1],
  ['another dataset',                 { a: { type: 'ref', dataset: 'x' } }, { a: { type: 'ref', dataset: 'y' } }, 1],
  ['a deletion is not restricted any more', { a: { type: 'ref', dataset: 'x' } }, { a: { type: 'ref', dataset: 'x', on_delete: 'keep' } }, 0],
  ['a field cannot be filtered any more', { a: text }, { a: { ...text, filterable: false } }, 0],
  ['a member of an object is gone',   { o: { type: 'object', fields: { a: text, b: text } } }, { o: { type: 'object', fields: { a: text } } }, 1],
  ['several at once',                 { a: text, b: text, c: { type: 'date' } }, { b: { ...text, required: true }, c: text }, 3],
  ['a field called like a method',    { a: text }, { a: text, constructor: text }, 0],
])('withdrawn guarantees when %s', (_, before, after, expected) => {
  expect(count(before, after)).toBe(expected);
});

test('a narrowing names the whole path of its field', () => {
  const before = fieldsOf({ owner: { type: 'object', fields: { place: { type: 'object', fields: { name: text } } } } });
  const after = fieldsOf({ owner: { type: 'object', fields: { place: { type: 'object', fields: { other: text } } } } });
  expect(narrowings(before, after)[0]).toContain('owner.place.name');
});

test('without a narrowing each row of the old declaration is one of the new', () => {
  const { below, pick } = createDraw(17);
  const field = () =>
    pick([
      () => ({ type: 'text', max_length: 1 + below(3), required: below(3) === 0 }),
      () => ({ type: 'integer' }),
      () => ({ type: 'enum', values: ['a', 'b', 'c'].slice(below(3)), required: below(4) === 0 }),
      () => ({ type: 'list', of: { type: 'text', max_length: 1 + below(3) } }),
      () => ({ type: 'object', fields: { x: { type: 'text', max_length: 1 + below(2), required: below(2) === 0 } } }),
    ])();
  const declaration = (names: string) =>
    DatasetSpec.parse({ fields: Object.fromEntries([...names].map((name) => [name, field()])) });
  const value = () => pick<unknown>([undefined, 'a', 'abc', 5n, ['a', 'bb'], { x: 'a' }, {}]);
  let wider = 0;
  for (let round = 0; round < 1_500; round += 1) {
    const [before, after] = [declaration('a'), declaration(pick(['a', 'ab']))];
    if (narrowings(before.fields, after.fields).length > 0) continue;
    for (let tries = 0; tries < 10; tries += 1) {
      const row = { a: value() };
      if (!readRow(before, row).ok) continue;
      wider += 1;
      expect([before.fields, after.fields, row, readRow(after, row).ok]).toEqual([
        before.fields,
        after.fields,
        row,
        true,
      ]);
    }
  }
  expect(wider).toBeGreaterThan(50);
});

const secondsAfter = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

test('commit times find a position that was current at a time, never a later one', () => {
  const { below } = createDraw(23);
  const all: CommitTime[] = [];
  const marks: CommitTime[] = [];
  let seconds = 0;
  for (let position = 1; position <= 200; position += 1) {
    seconds += below(6);
    all.push({ position, at: secondsAfter(seconds) });
    addCommitTime(marks, { position, at: secondsAfter(seconds) });
  }
  expect(marks.length).toBeLessThan(seconds / 10 + 2);
  for (let asked = 0; asked <= seconds; asked += 3) {
    const exact = all.findLast(({ at }) => at <= secondsAfter(asked))?.position ?? 0;
    const found = positionAt(marks, secondsAfter(asked));
    expect(found).toBeLessThanOrEqual(exact);
    const lag =
      exact === 0 ? 0 : Date.parse(all[exact - 1]?.at ?? '') - Date.parse(all[Math.max(0, found - 1)]?.at ?? '');
    if (found > 0) expect(lag).toBeLessThanOrEqual(10_000);
  }
  const [latest, kept] = [positionAt(marks, secondsAfter(seconds)), marks[5]?.position ?? 0];
  dropCommitTimes(marks, kept);
  expect([marks[0]?.position, positionAt(marks, secondsAfter(seconds))]).toEqual([kept, latest]);
  dropCommitTimes(marks, 10_000);
  expect(marks).toHaveLength(1); // the last one is kept
});

test('a value is derived once per declaration object', () => {
  let made = 0;
  const derive = cacheByDeclaration(() => (made += 1));
  const other = { ...WORDS };
  expect([derive(WORDS), derive(WORDS), derive(other), derive(WORDS)]).toEqual([1, 1, 2, 1]);
});

test.each([
  ['hold', false, true],
  ['hold', true, true],
  ['changes', true, true],
  ['changes', false, false],
  ['pin', true, true],
  ['release', true, false],
  ['discard', true, false],
  ['dropped', true, false],
  ['release', false, false],
])('after %s, held before: %s, a dataset is held: %s', (kind, before, after) => {
  expect(isHeldAfter({ kind }, before)).toBe(after);
});

test('the beginning of a log follows its removed entries', () => {
  const entries = place([
    { kind: 'schema', spec: WORDS, schema: 4, actor: 'a' },
    { kind: 'changes', changes: [changeOf('1', 1, 'a')] },
    { kind: 'hold', import: 'i' },
    { kind: 'heartbeat' },
    { kind: 'release', import: 'i' },
  ]);
  const declared = { fields: WORDS.fields, generation: 4, position: 1 };
  let beginning = beginningAfter({ purgedTo: 0 }, entries[0] ?? { position: 0, at: '', token: '' });
  expect(beginning).toEqual({ purgedTo: 1, declared });
  const held = entries.slice(1).map((entry) => (beginning = beginningAfter(beginning, entry)).isHeld);
  expect(held).toEqual([false, true, true, false]);
  expect(beginning).toEqual({ purgedTo: 5, declared, isHeld: false });
});
