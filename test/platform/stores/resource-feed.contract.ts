import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import type { Database } from '../../../platform/stores/database.js';
import { createResourceUpkeep } from '../../../platform/stores/resource-upkeep.js';
import { createFeed } from '../../../platform/stores/resource-feed.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { without } from './faults.js';

const kind = 'ModelRoute';
const entity = (id: string): AnyResource => ({
  kind,
  id,
  uid: randomUUID(),
  spec: {},
  status: {},
  generation: 1,
  revision: 0,
  createdAt: '2024-01-01T00:00:00.000Z',
  updatedAt: '2024-01-01T00:00:00.000Z',
  createdBy: 'anna',
  updatedBy: 'anna',
});
const touched = (current: AnyResource): AnyResource => ({ ...current, status: { at: randomUUID() } });
const DAY_MS = 24 * 3_600_000;

/** The feed of changes, and what schedules do to log and feed. Each test has a database of its own. */
export function feedContract(open: () => Promise<Database>): void {
  const opened: Database[] = [];
  let database: Database;
  const fresh = async () => {
    database = await open();
    opened.push(database);
    return database;
  };
  beforeAll(fresh);
  afterAll(() => Promise.all(opened.map((each) => each.close())));
  const changes = async (after = 0, limit?: number) => {
    const page = await createFeed({ database, kind }).read(after, limit);
    return { ...page, events: page.events.map(({ id, change, entity }) => `${id} ${change} ${entity?.revision}`) };
  };

  test('every change is one event with its name, in order', async () => {
    await fresh();
    const store = createResources<AnyResource>({ database, kind });
    await store.insert(entity('a'));
    await store.update('a', (current) => ({ ...current, generation: 2 }));
    await store.insert(entity('b'));
    await store.update('a', touched);
    await store.update('a', (current) => ({ ...current, deletionMark: true }));
    await store.update('a', () => undefined);
    await store.remove('a');
    const all = ['a created 1', 'a updated 2', 'b created 1', 'a statusUpdated 3', 'a deletionMarkIsSet 4'];
    expect(await changes()).toEqual({ events: [...all, 'a deleted undefined'], cursor: 6 });
    expect(await changes(2, 2)).toEqual({ events: all.slice(2, 4), cursor: 4 });
    expect(await changes(6)).toEqual({ events: [], cursor: 6 });
    expect(await changes(99)).toEqual({ events: [], cursor: 99 });
  });

  test('many writers in many processes: each change once, those of one entity in order', async () => {
    await fresh();
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await createResources({ database, kind }).insert(entity(id));
    const writers = ids.flatMap((id) => Array.from({ length: 5 }, () => id));
    await Promise.all(writers.map((id) => createResources<AnyResource>({ database, kind }).update(id, touched)));
    const { events, cursor } = await changes();
    for (const id of ids) {
      const own = events.filter((event) => event.startsWith(id));
      expect(own).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${id} ${n === 1 ? 'created' : 'statusUpdated'} ${n}`));
    }
    expect(events).toHaveLength(18);
    expect(await changes(cursor)).toEqual({ events: [], cursor });
  });

  test('a change whose writer died before or after writing it is in the feed once', async () => {
    await fresh();
    await createResources({ database, kind }).insert(entity('a'));
    for (const table of ['ModelRouteFeed', 'ModelRouteFeedMark']) {
      const dying = createResources<AnyResource>({ database: without(database, table, 'insert'), kind });
      await expect(dying.update('a', touched)).rejects.toThrow('died');
    }
    await createResources<AnyResource>({ database, kind }).update('a', touched);
    // Revision 2 was written twice: the position that lost its mark is passed over.
    const events = ['a created 1', 'a statusUpdated 2', 'a statusUpdated 3'];
    expect(await changes()).toEqual({ events, cursor: 4 });
  });

  test('a purge removes what is old from the feed; readers behind it go on with what is left', async () => {
    await fresh();
    const old = createResources<AnyResource>({ database, kind, now: () => new Date(Date.now() - 3 * DAY_MS) });
    const store = createResources<AnyResource>({ database, kind });
    await old.insert(entity('a'));
    await old.update('a', touched);
    const feed = createFeed({ database, kind });
    expect(await feed.purge(new Date(Date.now() - DAY_MS))).toBe(1); // the newest stays
    await store.update('a', touched);
    await store.update('a', touched);
    expect(await feed.purge(new Date())).toBe(1); // nothing younger than an hour, whatever is asked
    expect(await changes(0)).toEqual({ events: ['a statusUpdated 3', 'a statusUpdated 4'], cursor: 4 });
    await createResources<AnyResource>({ database, kind }).update('a', touched);
    expect((await changes(4)).cursor).toBe(5);
  });

  test('a purge of the log keeps what is there, and writing goes on', async () => {
    await fresh();
    const old = createResources<AnyResource>({ database, kind, now: () => new Date(Date.now() - 3 * DAY_MS) });
    await old.insert(entity('a'));
    const last = await old.update('a', touched);
    await old.insert(entity('gone'));
    await old.remove('gone');
    const upkeep = createResourceUpkeep({ database, kind, resources: createResources({ database, kind }) });
    expect(await upkeep.purge(new Date(Date.now() - DAY_MS))).toBe(4);
    expect(await upkeep.purge(new Date())).toBe(0);
    const store = createResources<AnyResource>({ database, kind });
    expect(await store.get('a')).toEqual(last);
    expect(await store.get('gone')).toBeUndefined();
    expect((await store.update('a', touched)).revision).toBe(3);
    expect((await store.insert(entity('gone'))).revision).toBe(3);
  });

  test('a purge first keeps what a dead writer had committed to the log only', async () => {
    await fresh();
    const now = () => new Date(Date.now() - 3 * DAY_MS);
    const dying = createResources<AnyResource>({ database: without(database, kind, 'put'), kind, now });
    await expect(dying.insert(entity('a'))).rejects.toThrow('died');
    await createResourceUpkeep({ database, kind, resources: createResources({ database, kind }) }).purge(
      new Date(Date.now() - DAY_MS),
    );
    expect((await createResources({ database, kind }).get('a'))?.revision).toBe(1);
  });

  test('heal brings into the list what dead writers committed', async () => {
    await fresh();
    const store = createResources<AnyResource>({ database, kind });
    const dying = createResources<AnyResource>({ database: without(database, kind, 'put'), kind });
    await store.insert(entity('a'));
    await expect(dying.update('a', touched)).rejects.toThrow('died');
    await expect(dying.insert(entity('b'))).rejects.toThrow('died');
    const upkeep = createResourceUpkeep({ database, kind, resources: createResources({ database, kind }) });
    expect(await upkeep.heal()).toBe(2);
    expect((await store.list()).map(({ id, revision }) => `${id} ${revision}`)).toEqual(['a 2', 'b 1']);
    expect(await upkeep.heal()).toBe(0);
  });
}
