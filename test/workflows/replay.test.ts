import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../workers/bundle.js';

const HISTORIES = join(import.meta.dirname, '..', 'histories');
const kept = (await readdir(HISTORIES, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
let folder: string;
let codePath: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  folder = await mkdtemp(join(tmpdir(), 'slipway-bundle-'));
  codePath = await workflowBundle(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const textOf = (name: string) => readFile(join(HISTORIES, name), 'utf8');
/** Rejects when the code of today would not have done what the history says. */
const replay = (text: string) => Worker.runReplayHistory({ workflowBundle: { codePath } }, JSON.parse(text));

test('every lifecycle has kept histories', async () => {
  const index = await readFile(join(import.meta.dirname, '..', '..', 'workflows', 'index.ts'), 'utf8');
  const lifecycles = [...index.matchAll(/from '\.\/(\w+)\.js'/g)].map(([, name = '']) => name);
  expect(lifecycles).toContain('pipeline');
  for (const kind of lifecycles) expect(kept.some((name) => name.includes(`/${kind}`))).toBe(true);
});

test.each(kept)('%s is replayed', async (name) => {
  await replay(await textOf(name));
});

test.each(kept)('%s names no machine and no folder of one', async (name) => {
  const named = /"identity":"\d+@|"\/|file:|\.[jt]s:\d/.exec(await textOf(name));
  expect(named).toBeNull();
});

test.each([
  ['training-succeeded', '"collectArtifact"', '"collectSomethingElse"'],
  ['pipeline-approved', '"checkPipelineMetrics"', '"checkSomethingElse"'],
  ['retraining-ran', '"openScheduledRun"', '"openSomethingElse"'],
])('a history that the code would not have made is noticed: %s', async (name, step, other) => {
  const text = await textOf(`0.1.0/${name}.json`);
  const broken = text.replaceAll(step, other);
  expect(broken).not.toBe(text);
  await expect(replay(broken)).rejects.toThrow(/non-?determinis/i);
});
