import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRoutes } from '../../gateway/routes.js';
import { customRouteKey } from '../../lifecycle/stores/route-readers.js';
import { customRoute, eventually, wine } from './edge.js';
import { silent } from './silent.js';

let copyPath: string;
beforeEach(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-copy-'));
  copyPath = join(dir, 'routes.json');
  onTestFinished(() => rm(dir, { recursive: true, maxRetries: 10 }));
});

const away = async () => {
  throw new Error('the database is away');
};
const AWAY = { get: away, list: away };
const NO_READERS = { acknowledge: async () => {}, leave: async () => {} };

test('a gateway serves the weights that it served last while the database is away', async () => {
  const route = customRoute('split', { wine: 10, other: 90 }, { sticky: { header: 'x-user' }, mirror: 'wine' });
  const said: Record<string, number>[] = [];
  const first = await createRoutes({
    endpoints: { get: async () => undefined, list: async () => [wine(['http://a'])] },
    customRoutes: { get: async () => route, list: async () => [route] },
    readers: { acknowledge: async (_, epochs) => void said.push(epochs), leave: async () => {} },
    ...{ copyPath, log: silent, pollMs: 10 },
  });
  await eventually(async () => (await readFile(copyPath, 'utf8').catch(() => '')).includes('"split"'));
  await first.close();
  expect(said[0]).toEqual({ wine: 0, [customRouteKey('split')]: 1 });

  const restarted = await createRoutes({
    endpoints: AWAY,
    customRoutes: AWAY,
    readers: NO_READERS,
    copyPath,
    log: silent,
  });
  const match = await restarted.match('/custom/split/api/model/invoke');
  expect(match?.route).toEqual({ id: 'split', revision: 1, spec: route.spec });
  expect(match?.targets.map(({ endpoint, weight }) => [endpoint.id, weight])).toEqual([['wine', 10]]);
  expect(match?.mirror?.id).toBe('wine');
  await restarted.close();
});

test('deployments and routes are one snapshot: without the one the other does not change', async () => {
  let isAway = false;
  let weight = 10;
  const route = () => ({ ...customRoute('r', { wine: weight }), revision: weight });
  const routes = await createRoutes({
    endpoints: { get: async () => undefined, list: async () => (isAway ? away() : [wine(['http://a'])]) },
    customRoutes: { get: async () => route(), list: async () => [route()] },
    ...{ readers: NO_READERS, copyPath, log: silent, pollMs: 10 },
  });
  const served = async () => (await routes.match('/custom/r'))?.targets[0]?.weight;
  expect(await served()).toBe(10);
  isAway = true;
  weight = 90;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await served()).toBe(10);
  isAway = false;
  await eventually(async () => (await served()) === 90);
  await routes.close();
});

test('the copy of an earlier release, without custom routes, is read', async () => {
  await writeFile(copyPath, JSON.stringify([wine(['http://a'])]));
  const routes = await createRoutes({
    endpoints: AWAY,
    customRoutes: AWAY,
    readers: NO_READERS,
    copyPath,
    log: silent,
  });
  expect((await routes.lookup('wine'))?.replicas[0]?.url).toBe('http://a');
  expect(await routes.match('/custom/wine/x')).toBeUndefined();
  await routes.close();
});
