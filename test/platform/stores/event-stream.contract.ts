import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { Database } from '../../../platform/stores/database.js';
import { createResourceUpkeep } from '../../../platform/stores/resource-upkeep.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { without } from './faults.js';
import { emittedEvents } from './emitted-events.js';

const event = (key: string): PlatformEvent => ({
  ...{ key, type: 'pipeline.training.started', source: '/s', subject: `training/${key}`, version: 1 },
  ...{ at: '2026-01-01T00:00:00.000Z', data: '{}' },
});

const training = (id: string, state: string): AnyResource => ({
  ...{ kind: 'ModelTraining', id, uid: randomUUID(), generation: 1, revision: 0, createdBy: 'ana', updatedBy: 'ana' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  spec: { model: { name: 'm', version: '1' } },
  status: { state, transitions: [], artifacts: [] },
});
const inState = (state: string) => (current: AnyResource) => ({ ...current, status: { ...current.status, state } });

/** Streams of events, and how writes of entities come to be in them. Each test has a database of its own. */
export function eventStreamContract(open: () => Promise<Database>): void {
  const opened: Database[] = [];
  let database: Database;
  const fresh = async () => {
    database = await open();
    opened.push(database);
    return database;
  };
  beforeAll(fresh);
  afterAll(() => Promise.all(opened.map((each) => each.close())));

  const keys = async () => (await emittedEvents(database)).map(({ key }) => key);
  const types = async () => (await emittedEvents(database)).map(({ type }) => type.split('.').at(-1));

  test('an event that many append at once counts once, and events keep their order', async () => {
    await fresh();
    const streams = Array.from({ length: 4 }, () => createEventStream({ database, stream: 'pipeline' }));
    await Promise.all(streams.map((stream) => stream.publish(event('a'))));
    for (const key of ['b', 'c']) for (const stream of streams) await stream.publish(event(key));
    expect(await keys()).toEqual(['a', 'b', 'c']);
  });

  test('events that two append together count once each, in their order', async () => {
    await fresh();
    const streams = [1, 2].map(() => createEventStream({ database, stream: 'pipeline' }));
    const batch = ['a', 'b', 'c', 'd'].map(event);
    await streams[0]?.publishAll(batch.slice(0, 2));
    await streams[1]?.publishAll(batch);
    expect(await keys()).toEqual(['a', 'b', 'c', 'd']);
    const next = ['e', 'f', 'g'].map(event);
    await Promise.all(streams.map((stream) => stream.publishAll(next)));
    expect((await keys()).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  test('of an event whose writer died before its mark was set, the first reader says which copy counts', async () => {
    await fresh();
    const dying = createEventStream({ database: without(database, 'events', 'insert'), stream: 'pipeline' });
    await expect(dying.publish(event('a'))).rejects.toThrow('died');
    await createEventStream({ database, stream: 'pipeline' }).publish(event('a'));
    expect(await createEventStream({ database, stream: 'pipeline' }).end()).toBe(2);
    expect(await keys()).toEqual(['a']);
    await createEventStream({ database, stream: 'pipeline' }).publish(event('a'));
    expect(await keys()).toEqual(['a']);
  });

  test('each transition of a run is emitted once, in order; a repeated write adds nothing', async () => {
    await fresh();
    const store = createResources<AnyResource>({ database, kind: 'ModelTraining' });
    await store.insert(training('t', 'unknown'));
    await store.update('t', inState('running'));
    await store.update('t', inState('running'));
    await store.update('t', inState('succeeded'));
    await store.update('t', () => undefined);
    expect(await types()).toEqual(['started', 'succeeded']);
  });

  test.each([
    ['before it is placed in the stream', 'log', 'insert'],
    ['before it is known where it is', 'events', 'insert'],
    ['before the entity is shown', 'ModelTraining', 'put'],
  ] as const)(
    'a process that dies after the write, %s, leaves it to whoever comes next',
    async (_, table, operation) => {
      await fresh();
      await createResources<AnyResource>({ database, kind: 'ModelTraining' }).insert(training('t', 'unknown'));
      const dying = createResources<AnyResource>({
        database: without(database, table, operation),
        kind: 'ModelTraining',
      });
      await expect(dying.update('t', inState('running'))).rejects.toThrow('died');
      const store = createResources<AnyResource>({ database, kind: 'ModelTraining' });
      expect(await store.get('t')).toMatchObject({ status: { state: 'running' } });
      expect(await types()).toEqual(['started']);
      await store.update('t', inState('succeeded'));
      expect(await types()).toEqual(['started', 'succeeded']);
    },
  );

  test('the upkeep emits the events that a dead writer left, even if no client reads the resource', async () => {
    await fresh();
    const dying = createResources<AnyResource>({
      database: without(database, 'log', 'insert'),
      kind: 'ModelDeployment',
    });
    const status = { state: 'Processing', replicas: 0, availableReplicas: 0, transitions: [] };
    const deployment = { ...training('d', ''), kind: 'ModelDeployment' as const, spec: { image: 'i' }, status };
    await expect(dying.insert(deployment)).rejects.toThrow('died');
    expect(await types()).toEqual([]);
    expect(
      await createResourceUpkeep({
        database,
        kind: 'ModelDeployment',
        resources: createResources({ database, kind: 'ModelDeployment' }),
      }).heal(),
    ).toBe(1);
    expect(await types()).toEqual(['created']);
  });

  test('old entries go, the newest stays, and positions go on', async () => {
    await fresh();
    const stream = createEventStream({ database, stream: 'pipeline' });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await stream.publish(event(key));
    expect(await stream.purge(new Date(0))).toBe(0);
    expect(await stream.purge(new Date(Date.now() + 60_000))).toBe(4);
    const other = createEventStream({ database, stream: 'pipeline' });
    expect(await other.end()).toBe(5);
    await other.publish(event('f'));
    expect(await stream.end()).toBe(6);
  });
}
