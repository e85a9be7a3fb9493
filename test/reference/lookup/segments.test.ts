import { expect, test } from 'vitest';
import type { Document } from '../../../reference/lookup/document.js';
import { search } from '../../../reference/lookup/search.js';
import { createSegments, type Segments } from '../../../reference/lookup/segments.js';
import { decodeSegments, encodeSegments } from '../../../reference/lookup/snapshot.js';
import { finish } from '../../../reference/lookup/steps.js';
import { createTexts, documentsOf } from './small-segment.js';
import { WORLD_FIELDS, worldOf } from './world.js';

const named = (row: number, name: string): Document => {
  const [document] = documentsOf(worldOf([{ name }]));
  if (document === undefined) throw new Error('a row was given');
  return { ...document, row, id: BigInt(row + 1) };
};

/** Segments whose background merges never run. */
const idle = () => createSegments({ nameFields: 2, defer: () => undefined });

/** The rows that are live, each with the number of segments that have it so. */
function liveRows(segments: Segments): number[] {
  return segments
    .current()
    .flatMap(({ segment, slot }) => [...segment.rows].filter((row) => segments.isLive(row, slot)))
    .sort((one, other) => one - other);
}

const found = (segments: Segments, ...words: string[]) =>
  search({ segments, queries: [words], limit: 50, accept: () => true }).map(({ row }) => row);

test('a row is live in one segment alone, the one of its last state', () => {
  const { below, pick } = createTexts(131);
  const segments = idle();
  const model = new Map<number, string>();
  for (let step = 0; step < 160; step += 1) {
    const row = below(40);
    if (below(4) === 0) {
      segments.remove(row);
      model.delete(row);
    } else {
      const name = pick(['amber', 'beryl', 'coral', 'dolomite']);
      segments.put(named(row, name));
      model.set(row, name);
    }
    if (below(8) > 0) continue;
    expect(liveRows(segments)).toEqual([...model.keys()].sort((one, other) => one - other));
    for (const name of ['amber', 'beryl', 'coral', 'dolomite']) {
      const expected = [...model].flatMap(([at, held]) => (held === name ? [at] : []));
      expect(found(segments, name)).toEqual(expected.sort((one, other) => one - other));
    }
  }
});

test('changes become a segment with the next query, or when many are pending', () => {
  const segments = idle();
  for (let row = 0; row < 511; row += 1) segments.put(named(row, `town ${row}`));
  expect(segments.state().segments).toHaveLength(1); // looking absorbs them
  for (let row = 511; row < 1_100; row += 1) segments.put(named(row, `town ${row}`));
  expect(liveRows(segments)).toHaveLength(1_100);
  expect(found(segments, 'town', '1099')[0]).toBe(1_099);
});

test('a row that changed twice before a query has its last name alone', () => {
  const segments = idle();
  segments.put(named(1, 'first'));
  segments.put(named(1, 'second'));
  expect([found(segments, 'first'), found(segments, 'second')]).toEqual([[], [1]]);
  segments.put(named(1, 'third'));
  segments.remove(1);
  expect([found(segments, 'second'), found(segments, 'third'), segments.current()]).toEqual([[], [], []]);
});

test('a segment without live rows is dropped at once', () => {
  const segments = idle();
  segments.put(named(1, 'one'));
  segments.current();
  segments.put(named(2, 'two'));
  expect(segments.current()).toHaveLength(2);
  segments.remove(1);
  expect(segments.current().map(({ live }) => live)).toEqual([1]);
});

test('to remove a row that is nowhere changes nothing', () => {
  const segments = idle();
  segments.put(named(5, 'five'));
  segments.remove(4);
  segments.remove(100_000);
  expect(liveRows(segments)).toEqual([5]);
});

test('row numbers may be large and have gaps', () => {
  const segments = idle();
  for (const row of [0, 1_023, 1_024, 300_000]) segments.put(named(row, 'far'));
  expect(found(segments, 'far')).toEqual([0, 1_023, 1_024, 300_000]);
});

test('a bulk load of several chunks is one segment, found after its last step', () => {
  const segments = idle();
  const loader = segments.loader();
  for (let row = 0; row < 8_500; row += 1) loader.add(named(row, `town ${row % 7}`));
  const steps = loader.finish();
  steps.next();
  expect(segments.current()).toEqual([]);
  finish(steps);
  expect(segments.current().map(({ live }) => live)).toEqual([8_500]);
  expect(segments.isLive(8_499, 1)).toBe(true);
});

test('a query sees the segments of its beginning while rows change', () => {
  const segments = idle();
  segments.put(named(1, 'one'));
  const before = segments.current();
  segments.put(named(2, 'two'));
  expect(before).toHaveLength(1);
  expect(segments.current()).toHaveLength(2);
  expect(before).toHaveLength(1);
});

test('a stored state goes on where it was, also with rows that are gone from its segments', () => {
  const segments = idle();
  for (let row = 0; row < 30; row += 1) segments.put(named(row, `town ${row % 5}`));
  segments.current();
  for (const row of [3, 4, 5]) segments.remove(row);
  segments.put(named(6, 'village'));
  const madeFor = { fields: WORLD_FIELDS, madeFor: 'test' };
  const bytes = Buffer.concat([...encodeSegments(segments.state(), madeFor)]);
  const restored = idle();
  restored.restore(decodeSegments(bytes, madeFor));
  const asked = (each: Segments) => [liveRows(each), found(each, 'town'), found(each, 'village')];
  expect(asked(restored)).toEqual(asked(segments));
  for (const each of [restored, segments]) {
    each.put(named(3, 'village'));
    each.remove(0);
    each.settle();
  }
  expect(asked(restored)).toEqual(asked(segments));
  expect(found(restored, 'village')).toEqual([3, 6]);
});

test('what is written is the state of the call, whatever changes before its last part is read', () => {
  const segments = idle();
  segments.put(named(1, 'one'));
  const madeFor = { fields: WORLD_FIELDS, madeFor: '' };
  const parts = encodeSegments(segments.state(), madeFor);
  segments.remove(1);
  segments.put(named(2, 'two'));
  segments.current();
  const restored = idle();
  restored.restore(decodeSegments(Buffer.concat([...parts]), madeFor));
  expect(liveRows(restored)).toEqual([1]);
});

test('a state made for other options is refused', () => {
  const bytes = Buffer.concat([...encodeSegments(idle().state(), { fields: WORLD_FIELDS, madeFor: 'a' })]);
  expect(() => decodeSegments(bytes, { fields: WORLD_FIELDS, madeFor: 'b' })).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  );
});
