import { expect, test } from 'vitest';
import { logPrefix, type RunKind } from '../../../platform/kinds/ids.js';
import { type AnyResource, type Kind } from '../../../platform/kinds/resource.js';
import type { RoundResult } from '../../../platform/kinds/round.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { encodeIndex } from '../../../lifecycle/stores/index-file.js';
import { indexMetadata } from '../../../lifecycle/stores/index-reader.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createReservedIds } from '../../../platform/stores/reserved-ids.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { createUpkeepActivities } from '../../../activities/shared/upkeep.js';
import { createUpkeepParts } from '../../../workers/compose/upkeep.js';
import { newDeployment, newPackaging, newTraining } from '../../activities/shared/resources.js';
import { newAttempt } from '../../activities/shared/environment.js';

const MINUTE_MS = 60_000;

function createScene() {
  let now = Date.parse('2026-02-01T00:00:00Z');
  const clock = () => new Date(now);
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const logs = createLogs({ objects, flushMs: 1 });
  const storage = { away: false };
  const list: ObjectStore['list'] = (prefix, range) => {
    if (storage.away) throw new SlipwayError('unavailable', 'object storage does not answer');
    return objects.list(prefix, range);
  };
  const parts = createUpkeepParts({ database, objects: { ...objects, list }, now: clock });
  const { upkeep } = createUpkeepActivities({ parts });
  return {
    database,
    clock,
    store: (kind: Kind) => createResources<AnyResource>({ database, kind, now: clock }),
    write: async (kind: RunKind, entity: AnyResource, replica?: string) => {
      const log = await logs.writer(logPrefix(kind, entity, replica));
      await log.append({ at: clock().toISOString(), stream: 'stdout', text: 'line' });
      await log.finish();
    },
    objects,
    storage,
    pass: (minutes: number) => (now += minutes * MINUTE_MS),
    round: (): Promise<RoundResult> => newAttempt().run(() => upkeep()),
    keys: async () => {
      const found: string[] = [];
      for await (const { key } of objects.list('')) found.push(key);
      return found;
    },
  };
}

test.each([
  ['training', 'ModelTraining', newTraining],
  ['packaging', 'ModelPackaging', newPackaging],
  ['deployment', 'ModelDeployment', newDeployment],
] as const)('the logs of a removed %s go, those of others stay', async (kind, name, make) => {
  const { store, write, round, keys } = createScene();
  const [gone, left, neighbour] = [make('gone'), make('left'), make('gone-too')];
  for (const entity of [gone, left, neighbour]) {
    await store(name).insert(entity);
    await write(kind, entity);
    await write(kind, { ...entity, generation: 2 }, 'r0');
  }
  const all = await keys();
  await store(name).remove('gone');
  await round();
  expect(await keys()).toEqual(all.filter((key) => !key.includes('/gone/')));
});

test('a resource that was created again keeps its own logs', async () => {
  const { store, write, round, keys } = createScene();
  const trainings = store('ModelTraining');
  const [old, recreated] = [newTraining('wine'), newTraining('wine')];
  await trainings.insert(old);
  await write('training', old);
  await trainings.remove('wine');
  await trainings.insert(recreated);
  await write('training', recreated);
  await round();
  expect((await keys()).every((key) => key.includes(recreated.uid))).toBe(true);
  expect(await keys()).toHaveLength(2);
});

test('what a run wrote long after the removal of its entity goes too, before the removal is forgotten', async () => {
  const { store, write, pass, round, keys } = createScene();
  const training = newTraining('wine');
  await store('ModelTraining').insert(training);
  await store('ModelTraining').remove('wine');
  pass(180);
  await write('training', training);
  await round();
  expect(await keys()).toHaveLength(2);
  pass(24 * 60);
  await round();
  expect(await keys()).toEqual([]);
});

test('while object storage is away no removal is forgotten', async () => {
  const { store, write, pass, storage, round, keys } = createScene();
  const training = newTraining('wine');
  await store('ModelTraining').insert(training);
  await write('training', training);
  await store('ModelTraining').remove('wine');
  storage.away = true;
  expect((await round()).skipped).toContainEqual(expect.stringContaining('ModelTraining'));
  pass(48 * 60);
  expect((await round()).skipped).toContainEqual(expect.stringContaining('ModelTraining'));
  storage.away = false;
  await round();
  expect(await keys()).toEqual([]);
});

test('the index of records is put in order, and ends with its days', async () => {
  const { objects, pass, round, keys } = createScene();
  const row = { kind: 'feedback', model: 'wine', version: '1', key: 'k', records: 1, part: 'p' } as const;
  const { body, entryBytes } = encodeIndex({ entries: [], rows: [row] });
  const folder = (date: string) => `record_index/year=2026/month=01/day=${date}`;
  for (const date of ['02', '31']) {
    await objects.put(`${folder(date)}/202601${date}10_0.idx`, body, { metadata: indexMetadata(entryBytes) });
  }
  await round();
  const inOrder = [`${folder('02')}/merged_0.idx`, `${folder('31')}/2026013110_0.idx`];
  expect(await keys()).toEqual(inOrder);
  pass(59);
  pass(60 * 24 * 60); // the second of January is over since 89 days
  await round();
  expect(await keys()).toEqual([`${folder('02')}/merged_0.idx`, `${folder('31')}/merged_0.idx`]);
  pass(24 * 60);
  await round();
  expect(await keys()).toEqual([`${folder('31')}/merged_0.idx`]);
});

test('the id that a creation was given is forgotten after a day', async () => {
  const { database, clock, pass, round } = createScene();
  const ids = createReservedIds({ database, now: clock });
  const reserve = (id: bigint) => ids.reserve('people', { key: 'one', digest: 'd' }, id);
  await reserve(1n);
  pass(23 * 60);
  await round();
  expect(await reserve(2n)).toEqual({ id: 1n, isRepeat: true });
  pass(2 * 60);
  expect(await round()).toMatchObject({ done: { rows_removed: 1 } });
  expect(await reserve(3n)).toEqual({ id: 3n, isRepeat: false });
});
