import { expect, test } from 'vitest';
import { runTurn } from '../../../activities/shared/round.js';
import { createUpkeepActivities } from '../../../activities/shared/upkeep.js';
import type { RoundPosition, RoundResult } from '../../../platform/kinds/round.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createUpkeepParts } from '../../../workers/compose/upkeep.js';
import { newAttempt } from '../../activities/shared/environment.js';

const AT = '2026-01-01T00:00:00.000Z';
const now = () => new Date('2026-03-01T00:00:00.000Z');
const STREAMS = ['pipeline', 'watch'];
const EVENTS = 2_500;

/** @param onRemoval called before rows of the streams are removed */
async function open(onRemoval: (ids: readonly string[]) => void = () => {}) {
  const memory = createMemoryDatabase();
  const table = memory.table<Row & { entry: object }>(collections.streams);
  for (const stream of STREAMS) {
    for (let position = 1; position <= EVENTS; position += 1) {
      const event = { key: `${stream}/${position}` };
      const entry = { kind: 'event', event, position, at: AT, token: String(position) };
      await table.insert({ _id: `${stream}#${position}`, entry });
    }
  }
  const database: Database = {
    ...memory,
    table: <R extends Row>(name: string) => {
      const rows = memory.table<R>(name);
      if (name !== collections.streams) return rows;
      return { ...rows, removeAll: async (ids) => (onRemoval(ids), rows.removeAll(ids)) };
    },
  };
  const parts = createUpkeepParts({ database, objects: createMemoryObjects(), now });
  const left = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    for await (const { _id } of table.scan()) {
      const [stream = '', position] = _id.split('#');
      if (position !== '0') found[stream] = (found[stream] ?? 0) + 1;
    }
    return found;
  };
  return { parts, left };
}

test('a round goes on while there is more to remove', async () => {
  const { parts, left } = await open();
  const { done }: RoundResult = await newAttempt().run(() => createUpkeepActivities({ parts }).upkeep());
  expect(await left()).toEqual({ pipeline: 1, watch: 1 });
  expect(done).toEqual({ rows_removed: 2 * (EVENTS - 1) });
});

test('a turn ends in the middle of a stream when its time is over, and the next turn goes on there', async () => {
  const { parts, left } = await open();
  const lefts = [];
  let next: RoundPosition | undefined;
  do {
    // Its time is over after one item.
    const result: RoundResult = await newAttempt().run(() => runTurn(parts, { from: next, turnMs: 0 }));
    ({ next } = result);
    lefts.push(await left());
  } while (next !== undefined);
  expect(lefts).toContainEqual({ pipeline: 1_500, watch: EVENTS });
  expect(lefts).toContainEqual({ pipeline: 1, watch: 500 });
  expect(lefts.at(-1)).toEqual({ pipeline: 1, watch: 1 });
});

test('a canceled round ends between two removals, and the next round removes the rest', async () => {
  const attempt = newAttempt();
  const { parts, left } = await open(() => attempt.cancel());
  const { upkeep } = createUpkeepActivities({ parts });
  await expect(attempt.run(() => upkeep())).rejects.toThrow('CANCELLED');
  expect(await left()).toEqual({ pipeline: 1_500, watch: EVENTS });
  await newAttempt().run(() => upkeep());
  expect(await left()).toEqual({ pipeline: 1, watch: 1 });
});

test('a stream that cannot be purged is named, and holds up no other', async () => {
  const { parts, left } = await open((ids) => {
    if (ids.some((id) => id.startsWith('pipeline#'))) throw new SlipwayError('unavailable', 'pipeline is away');
  });
  const { skipped }: RoundResult = await newAttempt().run(() => createUpkeepActivities({ parts }).upkeep());
  expect(skipped).toEqual([expect.stringContaining('stream pipeline')]);
  expect(await left()).toEqual({ pipeline: EVENTS, watch: 1 });
});
