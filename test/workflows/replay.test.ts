import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { sharedWorkflowBundle } from '../stack/workflow-bundle.js';

const HISTORIES = join(import.meta.dirname, '..', 'histories');
const kept = (await readdir(HISTORIES, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
let codePath: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  codePath = await sharedWorkflowBundle();
});

const textOf = (name: string) => readFile(join(HISTORIES, name), 'utf8');
/** Rejects when the code of today would not have done what the history says. */
const replay = (text: string) => Worker.runReplayHistory({ workflowBundle: { codePath } }, JSON.parse(text));

/** How each lifecycle can come to its end. */
const ENDS = {
  training: ['COMPLETED', 'FAILED', 'CANCELED', 'CONTINUED_AS_NEW'],
  packaging: ['COMPLETED', 'FAILED', 'CANCELED', 'CONTINUED_AS_NEW'],
  pipeline: ['COMPLETED', 'FAILED', 'CANCELED', 'CONTINUED_AS_NEW'],
  retraining: ['COMPLETED', 'FAILED', 'CANCELED'],
  import: ['COMPLETED', 'FAILED', 'CANCELED'],
  // These outlive the failures of what they keep alive.
  deployment: ['COMPLETED', 'CANCELED', 'CONTINUED_AS_NEW'],
  notification: ['COMPLETED', 'CANCELED', 'CONTINUED_AS_NEW'],
  watches: ['COMPLETED', 'CANCELED', 'CONTINUED_AS_NEW'],
  sweep: ['COMPLETED', 'FAILED'],
  triggers: ['COMPLETED', 'FAILED'],
  upkeep: ['COMPLETED', 'FAILED'],
};

test('every lifecycle has kept histories of every end that it can come to', async () => {
  const index = await readFile(join(import.meta.dirname, '..', '..', 'workflows', 'index.ts'), 'utf8');
  const lifecycles = [...index.matchAll(/from '\.\/(\w+)\.js'/g)].map(([, name = '']) => name);
  expect(Object.keys(ENDS).sort()).toEqual(lifecycles.sort());
  const found = new Set<string>();
  for (const name of kept) {
    const text = await textOf(name);
    const [, kind = ''] = /\/([a-z]+)/.exec(name) ?? [];
    const ends = text.matchAll(/"EVENT_TYPE_WORKFLOW_EXECUTION_(COMPLETED|FAILED|CANCELED|CONTINUED_AS_NEW)"/g);
    for (const [, end] of ends) found.add(`${kind} ${end}`);
  }
  const wanted = Object.entries(ENDS).flatMap(([kind, ends]) => ends.map((end) => `${kind} ${end}`));
  expect(wanted.filter((each) => !found.has(each))).toEqual([]);
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
