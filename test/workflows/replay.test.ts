import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { parseSettings } from '../../config.js';
import { dataConverterOf } from '../../workers/compose/payload-codec.js';
import { sharedWorkflowBundle } from '../stack/workflow-bundle.js';
import { encryptHistory } from './encrypted-history.js';
import { attributeEvent, patchEvents, withEvents, withResults } from './altered-history.js';

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
  batch: ['COMPLETED', 'FAILED', 'CANCELED', 'CONTINUED_AS_NEW'],
  pipeline: ['COMPLETED', 'FAILED', 'CANCELED', 'CONTINUED_AS_NEW'],
  retraining: ['COMPLETED', 'FAILED', 'CANCELED'],
  import: ['COMPLETED', 'FAILED', 'CANCELED'],
  // These outlive the failures of what they keep alive.
  deployment: ['COMPLETED', 'CANCELED', 'CONTINUED_AS_NEW'],
  rollout: ['COMPLETED', 'CANCELED'],
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

const ENCRYPTS = dataConverterOf(
  parseSettings({ SLIPWAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), TEMPORAL_ENCRYPT_PAYLOADS: 'true' }),
);
/** Some of every lifecycle: with results, failures, patches, updates and what goes on in another run. */
const ENCRYPTED = kept.filter((name) => /(failed|approved|continued|removed|deleted|ran|sweep)\.json$/.test(name));
test.each(ENCRYPTED)('%s is replayed by a worker that encrypts, in plain form and encrypted', async (name) => {
  const workflowBundle = { codePath: await sharedWorkflowBundle({ encodesFailures: true }) };
  const history: unknown = JSON.parse(await textOf(name));
  const encrypted = await encryptHistory(history, ENCRYPTS ?? {});
  expect(JSON.stringify(encrypted)).toContain(Buffer.from('binary/encrypted').toString('base64'));
  for (const each of [history, encrypted]) {
    await Worker.runReplayHistory({ workflowBundle, dataConverter: ENCRYPTS }, each);
  }
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

/** Its drains ended with events 8, 14 and 27; the tasks after them with 11, 17 and 30. */
const woken = async () => JSON.parse(await textOf('0.1.0/notification-woken-and-removed.json'));
const healthOf = (health: string) => ({
  summary: { at: '2026-11-22T00:00:00.000Z', health, unsettled: 0, held: 0 },
});
const healthEvent = (health: string) => attributeEvent('SlipwayHealth', 'Keyword', health);
const patchedHealth = (health: string) => [...patchEvents('health-attribute'), healthEvent(health)];

test('a notification of 0.1.0 whose drains already ran in a newer worker is replayed', async () => {
  const history = withResults(await woken(), { 1: healthOf('failing'), 2: healthOf('active') });
  await replay(JSON.stringify(history));
});

test('a notification of 0.1.0 records its health from its first drain in a newer worker on', async () => {
  const history = withResults(await woken(), { 1: healthOf('failing'), 3: healthOf('failing') });
  await replay(JSON.stringify(withEvents(history, 30, patchedHealth('failing'))));
});

test('a notification records its health when it changes, and only then', async () => {
  const drained = { 1: healthOf('failing'), 2: healthOf('failing'), 3: healthOf('active') };
  const history = withResults(await woken(), drained);
  // From the end: the ids of later events move.
  const changed = withEvents(history, 30, [healthEvent('active')]);
  await replay(JSON.stringify(withEvents(changed, 11, patchedHealth('failing'))));
  const twice = withEvents(withEvents(changed, 17, [healthEvent('failing')]), 11, patchedHealth('failing'));
  await expect(replay(JSON.stringify(twice))).rejects.toThrow(/non-?determinis/i);
});
