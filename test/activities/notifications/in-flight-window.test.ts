import { expect, test } from 'vitest';
import {
  createInFlightWindow,
  type InFlightWindowOptions,
} from '../../../activities/notifications/in-flight-window.js';
import type { OutboxBlock } from '../../../notifications/kinds/outbox-event.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const SUBSCRIPTION = 'sub_1';
const block = (number: number, from: number, count: number): OutboxBlock => ({
  ...{ block: number, from, sources: {}, at: '2026-01-02T00:00:00.000Z', token: `t${number}` },
  notices: Array.from({ length: count }, (_, index) => ({
    ...{ sequence: from + index, id: `ntc_${from + index}`, eventId: 'evt', type: 't', about: 'positions/1' },
    body: 'x'.repeat(10),
  })),
});

/** An outbox of three blocks: 1 to 3, none, 4 to 5. */
async function open(limits: Partial<InFlightWindowOptions> = {}) {
  const outbox = createOutbox({ database: createMemoryDatabase() });
  for (const each of [block(1, 1, 3), block(2, 4, 0), block(3, 4, 2)]) await outbox.insert(SUBSCRIPTION, each);
  const from = { loadedThrough: 0, loadedBlock: 0 };
  return { outbox, window: createInFlightWindow({ subscription: SUBSCRIPTION, outbox, from, ...limits }) };
}
const sequences = (found: { event: { sequence: number } }[]) => found.map(({ event }) => event.sequence);

test('blocks are loaded in order, up to the newest one that is known', async () => {
  const { window } = await open();
  expect(sequences(await window.fill(1))).toEqual([1, 2, 3]);
  expect([window.hasUnloaded(1), window.hasUnloaded(3), window.isLoaded(3), window.isLoaded(4)]).toEqual([
    ...[false, true, true, false],
  ]);
  expect(sequences(await window.fill(3))).toEqual([4, 5]);
  expect(await window.fill(3)).toEqual([]);
  expect([window.size, window.loadedThrough, window.progress().loadedBlock]).toEqual([5, 5, 3]);
});

test('a block that is not written yet ends the loading without an error', async () => {
  const { window } = await open();
  expect(sequences(await window.fill(9))).toEqual([1, 2, 3, 4, 5]);
  expect(window.hasUnloaded(9)).toBe(true);
});

test.each([
  ['deliveries', { most: 3 }],
  ['bytes', { mostBytes: 30 }],
])('at the limit of %s loading pauses until deliveries are settled', async (_, limits) => {
  const { window } = await open(limits);
  expect(sequences(await window.fill(3))).toEqual([1, 2, 3]);
  expect([window.hasRoom(), await window.fill(3)]).toEqual([false, []]);
  window.settled(2);
  expect(window.hasRoom()).toBe(true);
  expect(sequences(await window.fill(3))).toEqual([4, 5]);
});

test('everything is settled through the delivery before the first open one', async () => {
  const { window } = await open();
  expect(window.settledThrough()).toBe(0);
  await window.fill(3);
  window.settled(2);
  expect(window.settledThrough()).toBe(0);
  window.settled(1);
  expect(window.settledThrough()).toBe(2);
  for (const sequence of [3, 4, 5]) window.settled(sequence);
  expect([window.settledThrough(), window.size, window.hasRoom()]).toEqual([5, 0, true]);
  window.settled(5); // a repeat changes nothing
  expect(window.settledThrough()).toBe(5);
});

test('the next drain continues with the deliveries that were open', async () => {
  const { window, outbox } = await open();
  await window.fill(3);
  for (const sequence of [1, 3, 4]) window.settled(sequence);
  const progress = window.progress();
  expect(progress).toEqual({
    ...{ loadedThrough: 5, loadedBlock: 3 },
    open: [
      { sequence: 2, block: 1 },
      { sequence: 5, block: 3 },
    ],
  });
  const next = createInFlightWindow({ subscription: SUBSCRIPTION, outbox, from: progress });
  const restored = await next.restore(progress.open);
  expect(sequences(restored)).toEqual([2, 5]);
  expect(restored[0]?.record).toEqual({
    ...{ deliveryId: 'ntc_2', createdAt: '2026-01-02T00:00:00.000Z' },
    ...{ attempts: [], settlements: [], reopenings: [] },
  });
  expect([next.progress(), next.get(2)?.event.id, next.get(1)]).toEqual([progress, 'ntc_2', undefined]);
});

test('a delivery that was kept alone is restored without its block; one that is gone is left out', async () => {
  const { outbox, window } = await open();
  const found = await outbox.find(SUBSCRIPTION, 2);
  if (found) await outbox.keep(SUBSCRIPTION, [found]);
  await outbox.removeBefore(SUBSCRIPTION, { block: 3, sequence: 4 }, async () => {});
  const open2 = [1, 2].map((sequence) => ({ sequence, block: 1 }));
  expect(sequences(await window.restore([...open2, { sequence: 4, block: 3 }]))).toEqual([2, 4]);
});

test('a settled delivery is recalled, one that is not loaded or does not exist is not', async () => {
  const { window } = await open();
  await window.fill(1);
  for (const sequence of [1, 2, 3]) window.settled(sequence);
  expect((await window.recall(2))?.event.sequence).toBe(2);
  expect(window.progress().open).toEqual([{ sequence: 2, block: 1 }]);
  expect(await window.recall(4)).toBeUndefined();
  window.skipTo({ block: 3, sequence: 9 });
  expect(await window.recall(9)).toBeUndefined();
});

test('a subscription that is only pulled moves past its deliveries without loading them', async () => {
  const { window } = await open();
  window.skipTo({ block: 3, sequence: 5 });
  expect([window.loadedThrough, window.settledThrough(), window.size, await window.fill(3)]).toEqual([5, 5, 0, []]);
});

test('the oldest delivery is the first one that is not settled', async () => {
  const { window } = await open();
  expect(window.oldest()).toBeUndefined();
  await window.fill(3);
  expect(window.oldest()?.event.sequence).toBe(1);
  window.settled(1);
  window.settled(2);
  expect(window.oldest()?.event.sequence).toBe(3);
});
