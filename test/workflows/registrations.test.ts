import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BatchDeps, createBatchActivities } from '../../activities/batch/batch.js';
import { createDeploymentActivities } from '../../activities/deployment/deployment.js';
import type { DeploymentDeps } from '../../activities/deployment/deployment-deps.js';
import { createRolloutActivities } from '../../activities/deployment/rollout.js';
import { createImportActivities, type ImportDeps } from '../../activities/imports/import.js';
import { createNotificationActivities, type NotificationDeps } from '../../activities/notifications/notification.js';
import { createPackagingActivities, type PackagingDeps } from '../../activities/packaging/packaging.js';
import { createPipelineActivities, type PipelineDeps } from '../../activities/pipeline/pipeline.js';
import { createSweepActivities, type SweepDeps } from '../../activities/shared/sweep.js';
import { createTriggerActivities, type TriggerDeps } from '../../activities/pipeline/trigger-checks.js';
import { createUpkeepActivities, type UpkeepActivityDeps } from '../../activities/shared/upkeep.js';
import { createTrainingActivities, type TrainingDeps } from '../../activities/training/training.js';
import { createWatchActivities, type WatchDeps } from '../../activities/notifications/watches/watches.js';
import { QUEUES } from '../../platform/kinds/queues.js';
import { phase } from '../../workflows/phases.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** As `workers/worker.ts` registers them; nothing is called here, so nothing is needed. */
const MAKERS = {
  createBatchActivities: () => createBatchActivities({} as BatchDeps),
  createTrainingActivities: () => createTrainingActivities({} as TrainingDeps),
  createPackagingActivities: () => createPackagingActivities({} as PackagingDeps),
  createDeploymentActivities: () => createDeploymentActivities({} as DeploymentDeps),
  createRolloutActivities: () => createRolloutActivities({} as DeploymentDeps),
  createImportActivities: () => createImportActivities({} as ImportDeps),
  createNotificationActivities: () => createNotificationActivities({} as NotificationDeps),
  createPipelineActivities: () => createPipelineActivities({} as PipelineDeps),
  createSweepActivities: () => createSweepActivities({} as SweepDeps),
  createTriggerActivities: () => createTriggerActivities({} as TriggerDeps),
  createUpkeepActivities: () => createUpkeepActivities({} as UpkeepActivityDeps),
  createWatchActivities: () => createWatchActivities({} as WatchDeps),
};
const registered = Object.values(MAKERS).flatMap((make) => Object.keys(make()));

async function readWorkflows(): Promise<string[]> {
  const folder = join(ROOT, 'workflows');
  return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
}

/** The names in `const { a, b: c } = proxyActivities...` of every workflow. */
async function namesInUse(): Promise<string[]> {
  const sources = await readWorkflows();
  return sources.flatMap((source) =>
    [...source.matchAll(/const \{([^}]*)\} =\s+proxyActivities/g)].flatMap(([, names = '']) =>
      names.split(',').flatMap((name) => name.split(':')[0]?.trim() || []),
    ),
  );
}

test('every activity of a workflow is registered, and every registered one is used', async () => {
  expect([...new Set(await namesInUse())].sort()).toEqual([...registered].sort());
});

test('no two activities share a name', () => {
  expect(new Set(registered).size).toBe(registered.length);
});

test('the worker registers the activities of every maker', async () => {
  const worker = await readFile(join(ROOT, 'workers', 'worker.ts'), 'utf8');
  for (const maker of Object.keys(MAKERS)) expect(worker).toContain(`...${maker}(`);
});

const OF_RUNS = ['record', 'change', 'fetch', 'prepare', 'await', 'package', 'start', 'import', 'undo'] as const;

/** Milliseconds that the pauses between all attempts of a phase last. */
function patienceMs({ retry }: ReturnType<typeof phase>): number {
  const pauses = Array.from({ length: (retry?.maximumAttempts ?? 0) - 1 }, (_, n) => Math.min(1_000 * 2 ** n, 60_000));
  return pauses.reduce((sum, pause) => sum + pause, 0);
}

test.each(OF_RUNS)('%s: four hours in which everything is away end no run, and no wait in a queue does', (name) => {
  expect(patienceMs(phase(name))).toBeGreaterThan(4 * 3_600_000);
  expect(phase(name)).toMatchObject({
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: 60_000 },
  });
  expect(phase(name).scheduleToCloseTimeout).toBeUndefined();
});

test('a drain that waits for its place for hours is no failure of its subscription', () => {
  expect(phase('drain').scheduleToCloseTimeout).toBeUndefined();
});

test.each(['remove', 'retire'] as const)(
  '%s: the end of a run and a deletion wait for containers that cannot be removed, but only some minutes',
  (name) => {
    expect(patienceMs(phase(name))).toBeLessThan(3 * 60_000);
  },
);

test('every phase runs on a queue that a worker polls, ends some day and beats if it is long', () => {
  for (const name of [
    ...OF_RUNS,
    'remove',
    'retire',
    'supervise',
    'evaluate',
    'notify',
    'sweep',
    'trigger',
    'upkeep',
  ] as const) {
    const { taskQueue = '', startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, retry } = phase(name);
    expect(Object.keys(QUEUES)).toContain(taskQueue);
    expect(startToCloseTimeout).toBeDefined();
    // Supervision lasts as long as its deployment, the evaluation as long as there is a watch.
    const isBounded = scheduleToCloseTimeout !== undefined || (retry?.maximumAttempts ?? 0) > 0;
    expect([name, isBounded]).toEqual([name, name !== 'evaluate' && name !== 'supervise']);
    if (/h$/.test(String(startToCloseTimeout))) expect(heartbeatTimeout).toBeDefined();
  }
});

test('what serves holds no slot that starts and updates need', () => {
  const { taskQueue } = phase('supervise');
  expect([...OF_RUNS, 'sweep'].map((name) => phase(name as (typeof OF_RUNS)[number]).taskQueue)).not.toContain(
    taskQueue,
  );
});

/** The phase of an activity, as its workflow has it. */
async function phaseOf(activity: string): Promise<ReturnType<typeof phase>> {
  const proxy = new RegExp(`const \\{ ${activity} \\} = proxyActivities<\\w+>\\(\\s*phase\\('(\\w+)'`);
  const [, name] = (await readWorkflows()).flatMap((source) => proxy.exec(source) ?? []);
  return phase(name as Parameters<typeof phase>[0]);
}

test.each([
  'prepareWorkspace', // a git server, a bucket
  'storeArtifact', // a bucket
  'pushImage', // a registry
  'resolvePipelineSource', // a git server
])('%s, which waits for a server that a caller names, holds no slot of packaging', async (activity) => {
  expect((await phaseOf(activity)).taskQueue).toBe('waiting');
});

test('a training that waits for its place keeps its turn for as long as others run', async () => {
  expect((await phaseOf('submitTraining')).startToCloseTimeout).toBe(
    (await phaseOf('awaitTraining')).startToCloseTimeout,
  );
});
