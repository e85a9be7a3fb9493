import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { newId } from '../../../reference/rows/id-generator.js';
import { createIdList } from '../../../reference/rows/id-list.js';
import { createIdTable } from '../../../reference/rows/id-table.js';
import { createTextArena } from '../../../reference/rows/text-arena.js';

const { below, pick } = createDraw(27);
const anyId = (): bigint => {
  const small = BigInt(1 + below(2_000));
  return pick([small, small << 32n, small * 4_294_967_297n, 2n ** 63n - small]);
};

test('an id table maps each id to the row that was set last', () => {
  const ids: bigint[] = [];
  const table = createIdTable((row) => ids[row] ?? 0n, 8);
  const model = new Map<bigint, number>();
  for (let step = 0; step < 3_000; step += 1) {
    const id = anyId();
    expect(table.get(id)).toBe(model.get(id) ?? -1);
    if (below(2) === 0) continue;
    ids.push(id);
    table.set(id, ids.length - 1);
    model.set(id, ids.length - 1);
  }
  expect(table.size()).toBe(model.size);
  expect([...model].filter(([id, row]) => table.get(id) !== row)).toEqual([]);
  expect(table.sizeBytes()).toBeLessThan(model.size * 16 + 64);
});

test('consecutive ids and multiples of powers of two are found in a table that is half full', () => {
  for (const step of [1n, 2n ** 16n, 2n ** 32n, 2n ** 33n]) {
    const ids = Array.from({ length: 2_000 }, (_, at) => BigInt(at + 1) * step);
    const table = createIdTable((row) => ids[row] ?? 0n);
    ids.forEach((id, row) => table.set(id, row));
    expect(ids.every((id, row) => table.get(id) === row)).toBe(true);
    expect(ids.every((id) => table.get(id + 1n) === -1 || step === 1n)).toBe(true);
  }
});

test('an id list has what was added, whatever the order', () => {
  const list = createIdList();
  const model = new Set<bigint>();
  for (let at = 0; at < 3_000; at += 1) {
    const id = anyId();
    list.add(id);
    model.add(id);
  }
  const sorted = list.sorted();
  expect([...model].every((id) => sorted.has(id))).toBe(true);
  const others = Array.from({ length: 1_000 }, anyId).filter((id) => !model.has(id));
  expect(others.filter((id) => sorted.has(id))).toEqual([]);
  expect([sorted.has(0n), sorted.has(2n ** 63n - 1n)]).toEqual([false, model.has(2n ** 63n - 1n)]);
});

test('an empty id list has nothing', () => {
  expect(createIdList().sorted().has(1n)).toBe(false);
});

test.each([
  ['2020-01-01T00:00:00Z', 0n],
  ['2019-01-01T00:00:00Z', 0n], // a clock before the epoch
  ['2020-01-01T00:00:00.001Z', 1n],
  ['2026-03-01T08:00:00Z', BigInt(Date.UTC(2026, 2, 1, 8) - Date.UTC(2020, 0, 1))],
])('an id made at %s begins with its milliseconds and is never 0', (time, ms) => {
  for (let round = 0; round < 50; round += 1) {
    const id = newId(new Date(time));
    expect(id >> 22n).toBe(ms);
    expect(id > 0n && id < 2n ** 63n).toBe(true);
  }
});

test('ids are ordered by time, and of one time rarely equal', () => {
  const ids = Array.from({ length: 300 }, (_, at) => newId(new Date(Date.UTC(2030, 0, 1) + at)));
  expect(ids).toEqual(ids.toSorted((one, other) => (one < other ? -1 : 1)));
  const same = new Set(Array.from({ length: 100 }, () => newId(new Date(0))));
  expect(same.size).toBeGreaterThan(95);
});

test('texts of an arena are read as they were added, also across slabs and after others were dropped', () => {
  const arena = createTextArena();
  const kept: { at: ReturnType<typeof arena.add>; text: string }[] = [];
  for (let step = 0; step < 1_500; step += 1) {
    const text = `${step}:${'x'.repeat(below(400))}`;
    const at = arena.add(Buffer.from(text));
    if (below(3) === 0) arena.drop(at);
    else kept.push({ at, text });
  }
  expect(kept.filter(({ at, text }) => arena.read(at).toString() !== text)).toEqual([]);
  expect(new Set(kept.map(({ at }) => at.slab)).size).toBeGreaterThan(1);
});

test('a slab that is mostly dropped is worn, except the one that is being filled; released, it takes no memory', () => {
  const arena = createTextArena();
  const text = Buffer.alloc(30_000, 1);
  const first = [arena.add(text), arena.add(text)];
  const other = arena.add(text); // does not fit in the first slab
  expect(other.slab).not.toBe(first[0]?.slab);
  for (const each of first) arena.drop(each);
  arena.drop(other);
  expect(arena.worn()).toEqual([first[0]?.slab]);
  const view = arena.read(first[1] ?? other);
  const before = arena.sizeBytes();
  arena.release(first[0]?.slab ?? 0);
  expect(arena.sizeBytes()).toBeLessThan(before);
  expect(view.equals(text)).toBe(true); // a view outlives its slab
  expect(arena.worn()).toEqual([]);
  // The number of a released slab is used again.
  const slabs = Array.from({ length: 8 }, () => arena.add(text).slab);
  expect(slabs).toContain(first[0]?.slab);
});

test('a text larger than a slab has a slab of its own size, and an empty text is a text', () => {
  const arena = createTextArena();
  const large = Buffer.alloc(200_000, 7);
  expect(arena.read(arena.add(large)).equals(large)).toBe(true);
  expect(arena.read(arena.add(Buffer.alloc(0)))).toHaveLength(0);
});

test('a slab that never was is no slab', () => {
  expect(() => createTextArena().read({ slab: 3, offset: 0, length: 1 })).toThrow(RangeError);
});
