import { expect, test } from 'vitest';
import { removeOldLogs } from '../../../lifecycle/stores/log-retention.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { newDeployment } from '../../activities/shared/resources.js';

const later = (): Date => new Date(Date.now() + 60_000);

async function scene(keys: readonly string[], generation = 3) {
  const objects = createMemoryObjects();
  for (const key of keys) await objects.put(key, 'line');
  const current = { ...newDeployment('wine'), uid: 'u1', generation };
  const entities = { get: async (id: string) => (id === 'wine' ? current : undefined) };
  return {
    objects,
    remove: (kind: 'training' | 'deployment', before = later()) => removeOldLogs({ objects, entities, kind }, before),
    left: async () => {
      const found: string[] = [];
      for await (const { key } of objects.list('')) found.push(key);
      return found;
    },
  };
}

test('the log of a run that ended goes whole, and that of another kind stays', async () => {
  const other = 'logs/packaging/wine/u1/3/done.json';
  const old = ['00000001.log', '00000002.log', 'done.json'].map((name) => `logs/training/wine/u1/3/${name}`);
  const { remove, left } = await scene([...old, other]);
  expect(await remove('training')).toBe(3);
  expect(await left()).toEqual([other]);
  expect(await remove('training')).toBe(0);
});

test('a log stays while it may still be written: the last two generations of a resource that is there', async () => {
  const logOf = (path: string) => `logs/deployment/${path}/00000001.log`;
  const open = ['wine/u1/3/r0', 'wine/u1/2/r0'].map(logOf);
  const over = ['wine/u1/1/r0', 'wine/u1/1/r1', 'wine/u0/3/r0', 'gone/u9/1/r0'].map(logOf);
  const { remove, left } = await scene([...open, ...over]);
  expect(await remove('deployment')).toBe(over.length);
  expect((await left()).toSorted()).toEqual(open.toSorted());
});

test('one younger line keeps the whole log', async () => {
  const keys = ['logs/training/wine/u1/3/00000001.log', 'logs/training/wine/u1/3/done.json'];
  const { remove, left } = await scene(keys);
  expect(await remove('training', new Date(Date.now() - 60_000))).toBe(0);
  expect(await left()).toEqual(keys);
});

test('a call has an end, and the next one goes on', async () => {
  const keys = Array.from({ length: 3_000 }, (_, run) => `logs/training/run-${run}/u/1/done.json`);
  const { remove } = await scene(keys);
  expect([await remove('training'), await remove('training'), await remove('training')]).toEqual([2_000, 1_000, 0]);
});
