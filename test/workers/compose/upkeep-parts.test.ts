import { expect, test } from 'vitest';
import { logPrefix } from '../../../platform/kinds/ids.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import type { RoundResult } from '../../../platform/kinds/round.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row } from '../../../platform/stores/database.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { createIdempotency } from '../../../platform/stores/idempotency.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createUpkeepActivities } from '../../../activities/shared/upkeep.js';
import { createUpkeepParts } from '../../../workers/compose/upkeep.js';
import { newAttempt } from '../../activities/shared/environment.js';
import { newDeployment, newTraining } from '../../activities/shared/resources.js';

const DAY_MS = 86_400_000;
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

const newEvent = (stream: string, number: number): PlatformEvent => ({
  ...{ key: `${stream}/${number}`, type: 'pipeline.training.succeeded', source: '/pipeline', subject: 'training/wine' },
  ...{ version: number, at: new Date(BEGIN).toISOString(), data: '{}' },
});

/** A database some of whose collections do not answer. */
const failing = (database: Database, away: ReadonlySet<string>): Database => ({
  ...database,
  table: <R extends Row>(name: string) =>
    new Proxy(database.table<R>(name), {
      get(table, operation, receiver) {
        if (away.has(name)) throw new SlipwayError('unavailable', `${name} is away`);
        return Reflect.get(table, operation, receiver) as unknown;
      },
    }),
});

/** An installation with something old in every store that upkeep looks after. */
async function open() {
  let time = BEGIN;
  const now = () => new Date(time);
  const [database, objects] = [createMemoryDatabase(), createMemoryObjects({ now })];
  const away = new Set<string>();
  const parts = createUpkeepParts({ database: failing(database, away), objects, now });
  const { upkeep } = createUpkeepActivities({ parts });
  for (const stream of ['pipeline', 'watch', 'ops']) {
    const events = createEventStream({ database, stream, now });
    for (const number of [1, 2, 3]) await events.publish(newEvent(stream, number));
  }
  const begun = await createIdempotency({ database, now }).begin({
    ...{ caller: 'ada', method: 'POST', path: '/api/v1/connection', key: 'k-1', body: '{}' },
  });
  if (begun.first) await begun.finish({ status: 201, headers: {}, body: '{}' });
  const deployments = createResources<AnyResource>({ database, kind: 'ModelDeployment', now });
  for (const id of ['first', 'second']) await deployments.insert(newDeployment(id));
  const trainings = createResources<AnyResource>({ database, kind: 'ModelTraining', now });
  const training = newTraining('gone');
  await trainings.insert(training);
  const log = await createLogs({ objects, flushMs: 1 }).writer(logPrefix('training', training));
  await log.append({ at: now().toISOString(), stream: 'stdout', text: 'line' });
  await log.finish();
  await trainings.remove('gone');

  const count = async (collection: string): Promise<number> => {
    let rows = 0;
    for await (const row of database.table<Row>(collection).scan()) rows += row._id === '' ? 0 : 1;
    return rows;
  };
  const keys = async (): Promise<number> => {
    let found = 0;
    for await (const { key } of objects.list('')) found += key === '' ? 0 : 1;
    return found;
  };
  return {
    away,
    pass: (days: number) => (time += days * DAY_MS),
    round: (): Promise<RoundResult> => newAttempt().run(() => upkeep()),
    /** Positions of one more event in each stream. */
    positions: () =>
      Promise.all(
        ['pipeline', 'watch', 'ops'].map(async (stream) => {
          const events = createEventStream({ database, stream, now });
          await events.publish(newEvent(stream, 4));
          return events.end();
        }),
      ),
    /** Counts the rows and objects of each store. */
    left: async () => ({
      events: await count(collections.streams),
      replies: await count(collections.idempotency),
      feed: await count(collections.feed('ModelDeployment')),
      logs: await keys(),
    }),
  };
}

test('nothing is removed before its time', async () => {
  const { left, round, pass } = await open();
  const before = await left();
  pass(0.5);
  await round();
  expect(await left()).toEqual({ ...before, logs: before.logs });
});

test('after its time everything is removed, and logs go on at their next positions', async () => {
  const { left, round, pass, positions } = await open();
  const before = await left();
  pass(40);
  await round();
  const after = await left();
  expect(after).toMatchObject({ replies: 0, logs: 0 });
  expect([after.events < before.events, after.feed < before.feed]).toEqual([true, true]);
  expect(Math.min(...(await positions()))).toBe(4);
});

// prettier-ignore
test.each([
  ['events', collections.streams, ['replies', 'feed', 'logs']],
  ['replies', collections.idempotency, ['events', 'feed', 'logs']],
  ['feed', collections.feed('ModelDeployment'), ['events', 'replies', 'logs']],
  ['logs', collections.entity('ModelTraining'), ['events', 'replies', 'feed']],
] as const)('while the store of the %s is away, the others are looked after', async (name, collection, others) => {
  const { left, round, pass, away } = await open();
  const before = await left();
  pass(40);
  away.add(collection);
  expect((await round()).skipped.length).toBeGreaterThan(0);
  const during = await left();
  expect(during[name]).toBe(before[name]);
  expect(others.filter((other) => during[other] >= before[other])).toEqual([]);
  away.clear();
  pass(1);
  await round();
  expect((await left())[name]).toBeLessThan(before[name]);
});

test('the log of a run that is still there goes after the days of its setting', async () => {
  let time = BEGIN;
  const now = () => new Date(time);
  const [database, objects] = [createMemoryDatabase(), createMemoryObjects({ now })];
  const training = newTraining('wine');
  await createResources<AnyResource>({ database, kind: 'ModelTraining', now }).insert(training);
  const logs = createLogs({ objects });
  await (await logs.writer(logPrefix('training', training))).finish({ exitCode: 0 });
  const { upkeep } = createUpkeepActivities({ parts: createUpkeepParts({ database, objects, now, logDays: 3 }) });
  const round = (): Promise<RoundResult> => newAttempt().run(() => upkeep());
  time += 2.9 * DAY_MS;
  expect((await round()).done).not.toHaveProperty('log_objects_removed');
  time += 0.2 * DAY_MS;
  expect((await round()).done).toMatchObject({ log_objects_removed: 1 });
  expect(await logs.exists(logPrefix('training', training))).toBe(false);
});

test('every store that is away is named', async () => {
  const { round, away } = await open();
  for (const collection of [collections.idempotency, collections.entity('ModelTraining')]) away.add(collection);
  const { skipped } = await round();
  expect(skipped).toEqual([expect.stringContaining('ModelTraining'), expect.stringContaining('replies')]);
});
