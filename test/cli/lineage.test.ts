import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLineageLog } from '../../lifecycle/stores/lineage.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { createRecordIndex } from '../../lifecycle/stores/record-index.js';
import { createEndpoints } from '../../lifecycle/stores/stored-endpoints.js';
import { startStory } from '../api/lifecycle/lineage-story.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { recordFrames } from '../gateway/recording.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const objects = createMemoryObjects();
const database = createMemoryDatabase();
const lineage = createLineageLog({ database });
const endpoints = createEndpoints({ database });
const wine = startStory('wine')(1);
let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  api = await startTestApi({ lineage, endpoints, recordIndex: createRecordIndex({ objects }) });
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['viewer']) });
  for (const step of wine.steps) await lineage.keep(step);
  await endpoints.put(wine.endpoint, 1);
  await api.pipelineRuns.insert(wine.run);
  await recordFrames(objects, [wine.call('an answer')]);
});
afterAll(async () => {
  await api.stop();
  await slipway.remove();
});
const run = (...args: string[]) => slipway.run(['lineage', ...args]);

test('a request is followed to its commit and to the run that deployed its model', async () => {
  const { exitCode, out } = await run('request', 'an answer');
  expect(exitCode).toBe(0);
  const [first = '', ...rest] = out.trimEnd().split('\n');
  expect(first).toMatch(/^request an answer {2}answered at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(rest).toEqual([
    '',
    'comes of:',
    '└─ deployment wine  generation 1  wine:1  serves  1 call',
    `   ├─ image ${wine.imageDigest}  r/wine:1`,
    '   │  └─ packaging wine  succeeded  container-rest',
    `   │     └─ artifact ${wine.artifactDigest}  wine-1.zip`,
    '   │        └─ training wine  succeeded  wine:1  from code  alpha=0.5  rmse=0.7',
    '   │           ├─ data data-wine  rows.csv  feedback of wine',
    '   │           └─ commit 111111111111',
    '   └─ pipeline-run wine-1  succeeded  started by api (ada)',
    '      └─ pipeline wine',
  ]);
});

test('what came of a commit hangs below it, one side alone where that is asked for', async () => {
  const { out } = await run('commit', '1111111', '--direction', 'downstream');
  expect(out).toBe(`commit 111111111111

led to:
└─ training wine  succeeded  wine:1  from code  alpha=0.5  rmse=0.7
   └─ artifact ${wine.artifactDigest}  wine-1.zip
      └─ packaging wine  succeeded  container-rest
         └─ image ${wine.imageDigest}  r/wine:1
            └─ deployment wine  generation 1  wine:1  serves  1 call
`);
});

test('a kind may be named as in other commands, with its id after a slash', async () => {
  const wanted = await run('pipeline-run', 'wine-1');
  for (const words of [['run', 'wine-1'], ['runs/wine-1'], ['pipeline-run/wine-1']]) {
    expect(await run(...words)).toEqual(wanted);
  }
  expect(wanted.out).toMatch(/^pipeline-run wine-1 .*\n\ncomes of:\n└─ pipeline wine\n\nled to:\n├─ training wine/);
  expect((await run('image/r/wine:1')).out).toContain(`image ${wine.imageDigest}`);
});

test('the whole graph is there as data', async () => {
  const graph = JSON.parse((await run('training', 'wine', '-o', 'json')).out);
  expect(graph).toMatchObject({ root: [expect.stringMatching(/^training\/wine\//)], truncated: false });
  expect((await run('training', 'wine', '-o', 'yaml')).out).toMatch(/^root:\n/);
});

test('an unknown id and an invalid request have different exit codes', async () => {
  const cases: [string[], number, string][] = [
    [['request', 'unknown-id'], 4, 'no call with the request id "unknown-id" is known'],
    [['training', 'wine', '--generation', '7'], 4, 'no training "wine" of generation 7 is known'],
    [['training', 'wine', '--generation', '0'], 2, 'it is a number from 1 on.'],
    [['connection', 'code'], 2, 'lineage knows no "connection", but pipeline, pipeline-run, commit,'],
    [['training'], 2, 'name what you mean: "training <id>"'],
  ];
  for (const [args, exitCode, text] of cases) {
    const ended = await run(...args);
    expect([args, ended.exitCode, ended.out]).toEqual([args, exitCode, '']);
    expect(ended.err).toContain(text);
  }
});

test('kinds and ids complete a command line', async () => {
  const words = async (...args: string[]) =>
    (await slipway.run(['__complete', '--', 'lineage', ...args])).out.split('\n');
  expect(await words('')).toEqual(expect.arrayContaining(['request', 'commit', 'pipeline-run']));
  expect(await words('', '')).not.toContain('request');
  expect(await words('request', '')).toEqual(['']);
});
