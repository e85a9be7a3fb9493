import { expect, test } from 'vitest';
import type { OutboxBlock, OutboxEvent } from '../../../notifications/kinds/outbox-event.js';
import { createOutboxSearch } from '../../../notifications/stores/outbox-search.js';

const event = (sequence: number): OutboxEvent => ({
  ...{ sequence, id: `ntc_${sequence}`, eventId: `evt_${sequence}`, type: 't', about: 'a/1', body: '{}' },
});

/** Blocks of these sizes, numbered from 1; `removed`: so many of the first ones are gone. */
function searchIn(sizes: readonly number[], removed = 0) {
  const blocks = new Map<number, OutboxBlock>();
  let from = 1;
  sizes.forEach((size, index) => {
    const notices = Array.from({ length: size }, (_, at) => event(from + at));
    const block = { block: index + 1, from, notices, sources: {}, at: '2026-01-01T00:00:00.000Z', token: 't' };
    if (index >= removed) blocks.set(index + 1, block);
    from += size;
  });
  const reads: number[] = [];
  const search = createOutboxSearch(async (_subscription, block) => {
    reads.push(block);
    return blocks.get(block);
  });
  return { reads, search: (sequence: number, start = { block: 1, sequence: 1 }) => search('sub', sequence, start) };
}

test('every event of blocks of any size is found with its block', async () => {
  const { search } = searchIn([1, 7, 0, 1, 30, 2]);
  for (let sequence = 1; sequence <= 41; sequence += 1) {
    const found = await search(sequence);
    expect(found?.event.sequence).toBe(sequence);
    expect(found?.block.notices).toContain(found?.event);
  }
});

test('a sequence that is not written yet is not found', async () => {
  const { search } = searchIn([3, 4]);
  expect(await search(8)).toBeUndefined();
  expect(await search(800)).toBeUndefined();
  expect(await search(0)).toBeUndefined();
});

test('many empty blocks, which only mark settings, hide no event', async () => {
  const { search } = searchIn([1, ...Array.from({ length: 40 }, () => 0), 2]);
  expect((await search(2))?.block.block).toBe(42);
  expect((await search(3))?.block.block).toBe(42);
});

test('the search begins at the retained block and reads nothing before it', async () => {
  const { search, reads } = searchIn([2, 2, 2, 2], 2);
  expect((await search(8, { block: 3, sequence: 5 }))?.block.block).toBe(4);
  expect(Math.min(...reads)).toBeGreaterThanOrEqual(3);
  expect(await search(3, { block: 3, sequence: 5 })).toBeUndefined();
});

test('in a long outbox one event takes few reads', async () => {
  const { search, reads } = searchIn(Array.from({ length: 5_000 }, () => 3));
  expect((await search(12_345))?.block.block).toBe(4_115);
  expect(reads.length).toBeLessThan(20);
});
