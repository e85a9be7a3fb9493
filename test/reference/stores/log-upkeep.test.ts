import { expect, test } from 'vitest';
import { removeOrphanedLogs } from '../../../reference/stores/log-upkeep.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { logPrefix } from '../../../platform/kinds/ids.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { newTraining } from '../../activities/shared/resources.js';

const OLD = 'aaaaaaaa-0000-4000-8000-000000000000';

/** Opens logs of a training that was created twice, and of a neighbour whose id begins alike. */
async function open() {
  const objects = createMemoryObjects();
  const entities = createResources<Training>({ database: createMemoryDatabase(), kind: 'ModelTraining' });
  const current = newTraining('wine');
  const put = (id: string, uid: string, generation: number) =>
    objects.put(`${logPrefix('training', { id, uid, generation })}0001`, 'line');
  await put('wine', OLD, 1);
  await put('wine', OLD, 2);
  await put('wine', current.uid, 1);
  await put('wine-2', OLD, 1);
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of objects.list('logs/')) found.push(key.split('/').slice(2, 4).join('/'));
    return found;
  };
  const remove = (store: ObjectStore = objects) =>
    removeOrphanedLogs({ objects: store, entities, kind: 'training' }, 'wine');
  return { objects, entities, current, keys, remove };
}

test('logs of a resource that was deleted go, those of the one that has its id now stay', async () => {
  const { entities, current, keys, remove } = await open();
  await entities.insert(current);
  expect(await remove()).toBe(2);
  expect(await keys()).toEqual([`wine-2/${OLD}`, `wine/${current.uid}`]);
  expect(await remove()).toBe(0);
});

test('when no resource has the id, all its logs go; those of a longer id are not its own', async () => {
  const { keys, remove } = await open();
  expect(await remove()).toBe(3);
  expect(await keys()).toEqual([`wine-2/${OLD}`]);
});

test('a resource that is created while the logs are listed keeps its log', async () => {
  const { objects, entities, current, keys, remove } = await open();
  const racing: ObjectStore = {
    ...objects,
    async *list(prefix, range) {
      yield* objects.list(prefix, range);
      await entities.insert(current);
    },
  };
  expect(await remove(racing)).toBe(2);
  expect(await keys()).toContain(`wine/${current.uid}`);
});

test('an id without logs is not looked up at all', async () => {
  const { objects } = await open();
  const entities = {
    get: async () => {
      throw new Error('the database does not answer');
    },
  };
  expect(await removeOrphanedLogs({ objects, entities, kind: 'packaging' }, 'wine')).toBe(0);
  await expect(removeOrphanedLogs({ objects, entities, kind: 'training' }, 'wine')).rejects.toThrow('does not answer');
});
