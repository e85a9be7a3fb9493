import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { growthSince, measureMemory, settle } from './hostile/memory.js';
import { REFERENCE } from './hostile/reference.js';
import { RESOURCES } from './hostile/resources.js';
import {
  importAll,
  packageAll,
  prepare,
  runPrograms,
  sendAllBytes,
  sendRequests,
  trainOnSources,
} from './hostile/scene.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { until } from './until.js';

// Tables of hostile input (`hostile/`), each sent to the platform as a client sends it. `npm run hostile` runs the long form.
const isFull = process.env.HOSTILE === 'full';
const REQUESTS = [...RESOURCES, ...REFERENCE];

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_LOG_LIMIT_MIB: '2' });
  await prepare(platform);
}, 600_000);
afterAll(() => platform.stop());

const idsOf = async (path: string): Promise<string[]> =>
  (await platform.admin.call<{ id: string }[]>('GET', `/api/v1${path}?size=100`)).body.map(({ id }) => id);

test('every hostile request is refused with the value or the field in its sentence, and nothing is stored', async () => {
  expect(REQUESTS.length).toBeGreaterThan(150);
  const growth = await settle(platform.processes, async () => {
    expect(await sendRequests(platform, REQUESTS)).toEqual([]);
  });
  expect(growth).toEqual({});
  const kinds = ['training', 'packaging', 'deployment', 'pipeline'];
  for (const kind of kinds) expect(await idsOf(`/model/${kind}`)).toEqual([]);
  expect((await idsOf('/connection')).sort()).toEqual(['code', 'docker-ci', 'models-output', 'rows']);
  const { body } = await platform.admin.call<{ items: unknown[] }>('GET', '/v2/subscriptions');
  expect(body.items).toEqual([]);
}, 600_000);

test('bytes that two servers would read in two ways get one answer', async () => {
  expect(await sendAllBytes(platform)).toEqual([]);
});

test('hostile uploads end as failed, with their line, and write no row', async () => {
  const growth = await settle(platform.processes, async () => {
    expect(await importAll(platform)).toEqual([]);
  });
  expect(growth).toEqual({});
  const { body } = await platform.admin.call<{ items: unknown[] }>('GET', '/v2/rows');
  expect(body.items).toEqual([]);
}, 600_000);

test('hostile artifacts and references fail their runs before a container starts', async () => {
  expect(await packageAll(platform)).toEqual([]);
  expect(await trainOnSources(platform)).toEqual([]);
  expect(existsSync('/tmp/slipway-hostile')).toBe(false);
  expect(await platform.engine.find({})).toEqual([]);
}, 600_000);

test('programs that misuse their container fail alone, and their logs are cut', async () => {
  const before = measureMemory(platform.processes);
  expect(await runPrograms(platform, isFull)).toEqual([]);
  expect(await growthSince(before, platform.processes)).toEqual({});
  await until('the containers to go', async () => (await platform.engine.find({})).length === 0);
}, 7_200_000);
