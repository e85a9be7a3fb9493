import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Resource } from '../../../platform/kinds/resource.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import type { ResourceStore } from '../../../platform/stores/resources.js';
import { createResources } from '../../../notifications/stores/resources.js';

type Counted = Resource<{ notes: Record<string, unknown> }, { count: number }>;

const entity = (id: string): Counted => ({
  kind: 'ModelDeployment',
  id,
  uid: randomUUID(),
  spec: { notes: {} },
  status: { count: 0 },
  generation: 1,
  revision: 0,
  createdAt: '2024-01-01T00:00:00.000Z',
  updatedAt: '2024-01-01T00:00:00.000Z',
  createdBy: 'anna',
  updatedBy: 'anna',
});
const raised = (current: Counted): Counted => ({ ...current, status: { count: current.status.count + 1 } });

/** A writer whose next operation of one kind runs `before` first: it was paused there while others went on. */
function pausedAt(database: Database, point: 'insert' | 'put', before: () => Promise<void>): Database {
  let armed = true;
  const once = async () => {
    if (!armed) return;
    armed = false;
    await before();
  };
  return {
    ...database,
    table: <R extends Row>(name: string): Table<R> => {
      const table = database.table<R>(name);
      return {
        ...table,
        insert: async (row) => (point === 'insert' && (await once()), table.insert(row)),
        put: async (row) => (point === 'put' && (await once()), table.put(row)),
      };
    },
  };
}

/** A line that breaks after the server did the first operation of a kind. */
function losingAnswers(database: Database, point: 'insert' | 'put'): Database {
  let lost = false;
  const answer = <T>(value: T): T => {
    if (lost) return value;
    lost = true;
    throw new SlipwayError('unavailable', 'the answer is lost');
  };
  return {
    ...database,
    table: <R extends Row>(name: string): Table<R> => {
      const table = database.table<R>(name);
      return point === 'insert'
        ? { ...table, insert: async (row) => answer(await table.insert(row)) }
        : { ...table, put: async (row) => answer(await table.put(row)) };
    },
  };
}

const storeOn = (database: Database) => createResources<Counted>({ database, kind: 'ModelDeployment' });

/** The contract of every resource store. */
export function entitiesContract(open: () => Promise<Database>): void {
  let database: Database;
  let store: ResourceStore<Counted>;
  beforeAll(async () => {
    database = await open();
    store = storeOn(database);
  });
  afterAll(() => database.close());

  const increment = (on: ResourceStore<Counted>, id: string) => on.update(id, raised);
  const died = new Error('the process died here');
  const dying = async () => Promise.reject(died);

  test('an inserted entity is found with revision 1, whatever its keys are', async () => {
    const notes = {
      'a.b': 1,
      $ref: '#/x',
      '': 'empty',
      '100%': [{ 'c.d': null }],
      big: 2 ** 40,
      real: 0.1,
      rows: [[1, [2]], []],
    };
    const given = { ...entity(randomUUID()), spec: { notes } };
    const stored = await store.insert(given);
    expect(stored).toEqual({ ...given, revision: 1 });
    expect(await store.get(given.id)).toEqual(stored);
  });

  test('a taken id is already_exists and changes nothing', async () => {
    const given = await store.insert(entity(randomUUID()));
    await expect(store.insert(entity(given.id))).rejects.toMatchObject({ code: 'already_exists' });
    expect((await store.get(given.id))?.uid).toBe(given.uid);
  });

  test('of many inserts of one id exactly one wins', async () => {
    const id = randomUUID();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => store.insert(entity(id))));
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await store.get(id)).toEqual(won[0]?.value);
  });

  test('an unknown id is undefined, and not_found for an update', async () => {
    expect(await store.get('absent')).toBeUndefined();
    expect(await store.remove('absent')).toBeUndefined();
    await expect(store.update('absent', raised)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an update that leaves the entity as it is raises no revision; one that throws changes nothing', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    expect((await store.update(id, () => undefined)).revision).toBe(1);
    await expect(
      store.update(id, (current) => {
        current.status.count = 99;
        throw died;
      }),
    ).rejects.toBe(died);
    expect(await store.get(id)).toMatchObject({ revision: 1, status: { count: 0 } });
  });

  test('twenty concurrent updaters lose no write and apply none twice', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    await Promise.all(Array.from({ length: 20 }, () => increment(storeOn(database), id)));
    expect(await store.get(id)).toMatchObject({ revision: 21, status: { count: 20 } });
  });

  test('list is ordered by id', async () => {
    const ids = ['b', 'a', 'a-1', 'a1'].map((id) => `${id}-${randomUUID()}`);
    for (const id of ids) await store.insert(entity(id));
    const listed = (await store.list()).map(({ id }) => id);
    expect(listed.filter((id) => ids.includes(id))).toEqual([...ids].sort());
    expect(listed).toEqual([...listed].sort());
  });

  test('remove asks first, returns what it removed, and frees the id', async () => {
    const given = await store.insert(entity(randomUUID()));
    expect(await store.remove(given.id, () => false)).toBeUndefined();
    expect(await store.remove(given.id, ({ uid }) => uid === given.uid)).toEqual(given);
    expect(await store.get(given.id)).toBeUndefined();
    expect((await store.list()).some(({ id }) => id === given.id)).toBe(false);
    const again = await store.insert(entity(given.id));
    expect(again.uid).not.toBe(given.uid);
    expect(await store.get(given.id)).toEqual(again);
  });

  test('a writer that read and then slept loses its race and repeats on what is there now', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    const sleepy = storeOn(pausedAt(database, 'insert', async () => void (await increment(store, id))));
    await increment(sleepy, id);
    expect(await store.get(id)).toMatchObject({ revision: 3, status: { count: 2 } });
  });

  test('a writer paused after its commit does not move the entity back', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    const others = async () => {
      for (let round = 0; round < 3; round++) await increment(store, id);
    };
    await increment(storeOn(pausedAt(database, 'put', others)), id);
    const rows = await store.list();
    expect(rows.find((row) => row.id === id)).toMatchObject({ revision: 5, status: { count: 4 } });
  });

  test('a writer paused after its commit does not bring back what was removed, nor hit what came after', async () => {
    const first = await store.insert(entity(randomUUID()));
    let second: Counted | undefined;
    const others = async () => {
      await store.remove(first.id);
      second = await store.insert(entity(first.id));
    };
    await increment(storeOn(pausedAt(database, 'put', others)), first.id);
    expect(second).toBeDefined();
    expect(await store.get(first.id)).toEqual(second);
    expect((await store.list()).find(({ id }) => id === first.id)).toEqual(second);
  });

  test('a remover paused after its commit does not remove what came after', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    const others = async () => void (await store.insert(entity(id)));
    await storeOn(pausedAt(database, 'put', others)).remove(id);
    expect((await store.get(id))?.revision).toBe(3);
  });

  test('a commit whose writer died is seen by the next read and kept by the next write', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    await expect(increment(storeOn(pausedAt(database, 'put', dying)), id)).rejects.toBe(died);
    expect(await store.get(id)).toMatchObject({ revision: 2, status: { count: 1 } });
    await expect(increment(storeOn(pausedAt(database, 'put', dying)), id)).rejects.toBe(died);
    expect(await increment(store, id)).toMatchObject({ revision: 4, status: { count: 3 } });
  });

  test('a write counts once when its acknowledgement, or what follows it, is lost', async () => {
    const { id } = await store.insert(entity(randomUUID()));
    const lossy = storeOn(losingAnswers(database, 'insert'));
    expect(await increment(lossy, id)).toMatchObject({ revision: 2, status: { count: 1 } });
    const cut = storeOn(losingAnswers(database, 'put'));
    expect(await increment(cut, id)).toMatchObject({ revision: 3, status: { count: 2 } });
    expect(await store.get(id)).toMatchObject({ revision: 3, status: { count: 2 } });
  });

  test('an insert whose writer died is found', async () => {
    const given = entity(randomUUID());
    await expect(storeOn(pausedAt(database, 'put', dying)).insert(given)).rejects.toBe(died);
    expect(await store.get(given.id)).toEqual({ ...given, revision: 1 });
  });
}
