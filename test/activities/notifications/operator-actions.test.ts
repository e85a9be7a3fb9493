import { expect, test } from 'vitest';
import type { InFlightDelivery } from '../../../activities/notifications/in-flight-delivery.js';
import {
  createOperatorActionReader,
  type OperatorActionReaderOptions,
} from '../../../activities/notifications/operator-actions.js';
import { createOperatorActions } from '../../../notifications/stores/operator-actions.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const SUBSCRIPTION = 'sub_1';
const delivery = (sequence: number, orders: number[] = []) =>
  ({
    event: { sequence },
    record: { reopenings: orders.map((order, index) => ({ episode: index + 1, order })) },
  }) as unknown as InFlightDelivery;

interface Scene extends Partial<Pick<OperatorActionReaderOptions, 'isPulled' | 'from' | 'hasPassed'>> {
  /** Deliveries in the window. */
  loaded?: number[];
  /** Everything up to this sequence was loaded once. */
  through?: number;
  /** Settled deliveries that can be recalled, with the recoveries that reopened them. */
  recallable?: Record<number, number[]>;
}

function open({ loaded = [], through = 10, recallable = {}, ...more }: Scene = {}) {
  const calls: unknown[][] = [];
  const operatorActions = createOperatorActions({ database: createMemoryDatabase() });
  const options = {
    ...{ subscription: SUBSCRIPTION, operatorActions, isPulled: false, hasPassed: () => true, from: undefined },
    ledger: {},
    window: {
      get: (sequence: number) => (loaded.includes(sequence) ? delivery(sequence) : undefined),
      isLoaded: (sequence: number) => sequence <= through,
      recall: async (sequence: number) => {
        const orders = recallable[sequence];
        return orders && delivery(sequence, orders);
      },
    },
    queue: {
      update: ({ event }: InFlightDelivery) => void calls.push(['update', event.sequence]),
      addReopened: ({ event }: InFlightDelivery, first?: number) => void calls.push(['reopen', event.sequence, first]),
    },
    reload: async ({ event }: InFlightDelivery) => void calls.push(['reload', event.sequence]),
    ...more,
  } as unknown as OperatorActionReaderOptions;
  const add = (...sequences: number[]) => operatorActions.add(SUBSCRIPTION, sequences, { after: 0 });
  return { reader: createOperatorActionReader(options), add, calls };
}

test('an action on a delivery in the window reloads and queues it', async () => {
  const { reader, add, calls } = open({ loaded: [3] });
  await add(3);
  await reader.readNew();
  expect(calls).toEqual([
    ['reload', 3],
    ['update', 3],
  ]);
});

test('each action is read once, and the next drain goes on after it', async () => {
  const { reader, add, calls } = open({ loaded: [3, 4] });
  await add(3);
  await reader.readNew();
  await reader.readNew();
  expect(calls).toHaveLength(2);
  expect(reader.progress()).toEqual({ interventions: 1, touched: [] });
  await add(4);
  await reader.readNew();
  expect(calls.slice(2)).toEqual([
    ['reload', 4],
    ['update', 4],
  ]);
});

test('a delivery that is not loaded yet is remembered until its turn, once', async () => {
  const { reader, add, calls } = open({ through: 2 });
  await add(3, 4);
  await reader.readNew();
  expect([calls, reader.progress().touched]).toEqual([[], [3, 4]]);
  expect([reader.takeTouched(3), reader.takeTouched(3), reader.takeTouched(9)]).toEqual([true, false, false]);
  expect(reader.progress().touched).toEqual([4]);
});

test('another drain knows what the one before it remembered', () => {
  const { reader } = open({ from: { interventions: 5, touched: [7] } });
  expect(reader.progress()).toEqual({ interventions: 5, touched: [7] });
  expect(reader.takeTouched(7)).toBe(true);
});

test('a settled delivery is recalled; one that was purged is left alone', async () => {
  const { reader, calls } = open({ recallable: { 3: [] } });
  await reader.apply(3, 1);
  await reader.apply(4, 1);
  expect(calls).toEqual([
    ['reload', 3],
    ['reopen', 3, 1],
  ]);
});

test.each([
  ['passed', true, 3],
  ['did not reach', false, 1],
])('episodes that a recovery started and %s it are counted from episode %s', async (_, passed, first) => {
  // Episodes 1 and 2 belong to recoveries; the operator started episode 3.
  const { reader, calls } = open({ recallable: { 3: [8, 9] }, hasPassed: () => passed });
  await reader.apply(3, 3);
  expect(calls.at(-1)).toEqual(['reopen', 3, first]);
});

test('a subscription that is only pulled recalls nothing', async () => {
  const { reader, calls } = open({ isPulled: true, recallable: { 3: [] }, through: 2 });
  await reader.apply(3);
  await reader.apply(1);
  expect([calls, reader.progress().touched]).toEqual([[], []]);
});
