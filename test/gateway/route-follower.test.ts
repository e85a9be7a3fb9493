import { expect, test } from 'vitest';
import { createRouteFollower } from '../../gateway/route-follower.js';
import type { Route } from '../../lifecycle/kinds/route.js';
import { createResources } from '../../notifications/stores/resources.js';
import { collections } from '../../platform/stores/collections.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { customRoute } from './edge.js';

test('a gateway never goes back to a revision that was replaced, nor to a route that was removed', async () => {
  const database = createMemoryDatabase();
  const store = createResources<Route>({ database, kind: 'ModelRoute' });
  const rows = database.table(collections.entity('ModelRoute'));
  const read = createRouteFollower(store);
  const weights = async () => (await read()).map(({ spec }) => spec.modelDeployments[0]?.weight);

  await store.insert(customRoute('r', { a: 90, b: 10 }));
  expect(await weights()).toEqual([90]);
  const replaced = await rows.get('r');
  await store.update('r', (each) => ({ ...each, spec: customRoute('r', { a: 10, b: 90 }).spec }));
  expect(await weights()).toEqual([10]);
  // A writer that was paused puts its row back.
  if (replaced) await rows.put(replaced);
  expect(await weights()).toEqual([10]);
  await store.remove('r');
  expect(await weights()).toEqual([]);
  if (replaced) await rows.put(replaced);
  expect(await weights()).toEqual([]);
  await store.insert(customRoute('r', { a: 50, b: 50 }));
  expect(await weights()).toEqual([50]);
});

test('what did not change is not read again', async () => {
  let gets = 0;
  const route = customRoute('r', { a: 100 });
  const read = createRouteFollower({ list: async () => [route], get: async () => ((gets += 1), route) });
  for (let at = 0; at < 3; at += 1) await read();
  expect(gets).toBe(1);
});
