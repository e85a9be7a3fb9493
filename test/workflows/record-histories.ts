/**
 * Writes the histories that every later version must be able to replay, and the workflows that made them:
 * `TEMPORAL_ADDRESS=<host:port> npx tsx test/workflows/record-histories.ts test/histories/<version>`.
 */
import { type JobKind, workflowId } from '../../platform/kinds/ids.js';
import { BATCH, childOf, giveUp, goOn, IMPORT, noting, PACKAGING, PIPELINE, TRAINING } from './fakes.js';
import { WATCHES_WORKFLOW_ID } from '../../notifications/kinds/watch-ref.js';
import { createWatchStart } from '../../workers/compose/watches.js';
import { createImportRuns } from '../../workers/compose/import-runs.js';
import type { DrainResult } from '../../activities/notifications/drain.js';
import { notificationWorkflowId } from '../../notifications/kinds/subscription-ref.js';
import { createWake } from '../../workers/compose/notifications.js';
import { importWorkflowId } from '../../reference/dataset/import.js';
import type { RoundPosition, RoundResult } from '../../platform/kinds/round.js';
import { keepHistories, keepWorkflows } from './keep-histories.js';
import { eventually, newRef, openNamespace } from './namespace.js';
import { asking, NOTIFYING, withPipelineRun } from './pipeline-runs.js';
import { recordGuards, recordRollouts } from './record-rollouts.js';
import { isFirst, revisionOf, Scene } from './scene.js';

const [, , folder = ''] = process.argv;
const namespace = await openNamespace();
const save = await keepHistories(namespace.client, folder);
await keepWorkflows(folder);

/** Runs one training, packaging or pipeline; `during` names the step in which it is canceled. */
async function record(name: string, kind: JobKind, activities: object, during?: string): Promise<void> {
  const calls: string[] = [];
  const ref = newRef();
  await namespace.withActivities(noting(calls, activities), async () => {
    await namespace.runs.changed(kind, ref);
    if (during !== undefined) {
      await eventually(() => calls.includes(`${during} 1`));
      await namespace.runs.cancel(kind, ref);
    }
    await namespace
      .handle(kind, ref.id)
      .result()
      .catch(() => undefined);
  });
  await save(name, workflowId(kind, ref.id));
}

await record('training-succeeded', 'training', TRAINING);
await record('training-failed', 'training', { ...TRAINING, awaitTraining: giveUp('ToolchainFailed') });
await record('training-canceled', 'training', { ...TRAINING, awaitTraining: goOn }, 'awaitTraining');
await record('packaging-succeeded', 'packaging', PACKAGING);
await record('packaging-failed', 'packaging', { ...PACKAGING, testImage: giveUp('SelfCheckFailed') });
await record('packaging-canceled', 'packaging', { ...PACKAGING, buildImage: goOn }, 'buildImage');
await record('batch-succeeded', 'batchJob', BATCH);
await record('batch-failed', 'batchJob', { ...BATCH, predictFiles: giveUp('PredictionFailed') });
await record('batch-canceled', 'batchJob', { ...BATCH, predictFiles: goOn }, 'predictFiles');

async function recordImport(name: string, changes: Partial<typeof IMPORT> = {}, during?: string): Promise<void> {
  const calls: string[] = [];
  const runs = createImportRuns(namespace);
  const id = `imp_${name}`;
  await namespace.withActivities(noting(calls, { ...IMPORT, ...changes }), async () => {
    await runs.start({ id, actor: 'test' });
    if (during !== undefined) {
      await eventually(() => calls.includes(during));
      await runs.cancel(id);
    }
    const handle = namespace.client.workflow.getHandle(importWorkflowId(id));
    await handle.result().catch(() => undefined);
  });
  await save(name, importWorkflowId(id));
}
await recordImport('import-succeeded');
await recordImport('import-failed', { importRows: giveUp('DataCopyFailed') });
await recordImport('import-canceled', { importRows: goOn }, 'importRows');

/** The first of two generations: the second one comes during `step`, and takes over. */
async function recordSuperseded(name: string, kind: JobKind, activities: object, step: string): Promise<void> {
  const ref = newRef();
  const calls: string[] = [];
  await namespace.withActivities(noting(calls, activities), async () => {
    await namespace.runs.changed(kind, ref);
    await eventually(() => calls.includes(`${step} 1`));
    const { runId } = await namespace.handle(kind, ref.id).describe();
    await namespace.runs.changed(kind, { ...ref, generation: 2 });
    await namespace.handle(kind, ref.id).result();
    await save(name, workflowId(kind, ref.id), runId);
  });
}
const prepareWorkspace: typeof TRAINING.prepareWorkspace = (ref) =>
  isFirst(ref) ? goOn() : TRAINING.prepareWorkspace(ref);
await recordSuperseded('training-superseded', 'training', { ...TRAINING, prepareWorkspace }, 'prepareWorkspace');
const buildImage: typeof PACKAGING.buildImage = (job) => (isFirst(job.ref) ? goOn() : PACKAGING.buildImage(job));
const prepareBatchJob: typeof BATCH.prepareBatchJob = (ref) => (isFirst(ref) ? goOn() : BATCH.prepareBatchJob(ref));
await recordSuperseded('batch-superseded', 'batchJob', { ...BATCH, prepareBatchJob }, 'prepareBatchJob');
await recordSuperseded('packaging-superseded', 'packaging', { ...PACKAGING, buildImage }, 'buildImage');

const turnsDone: string[] = [];
const summary = { at: new Date().toISOString(), unsettled: 1, held: 0 };
const turns: DrainResult[] = [
  { ended: false, more: true, summary: { ...summary, health: 'failing' } },
  { ended: false, more: false, nextDueAt: new Date(Date.now() + 1_000).toISOString() },
  { ended: false, more: false, summary: { ...summary, health: 'active' } },
  { ended: true, more: false },
];
const drainNotices = async () => turns[turnsDone.length - 1] ?? { ended: true, more: false };
await namespace.withActivities(noting(turnsDone, { drainNotices }), async () => {
  const wake = createWake(namespace.client);
  await wake('sub_removed');
  await eventually(() => turnsDone.length === 3);
  await wake('sub_removed');
  await namespace.client.workflow.getHandle(notificationWorkflowId('sub_removed')).result();
});
await save('notification-woken-and-removed', notificationWorkflowId('sub_removed'));

const judged: string[] = [];
const evaluateWatches = async () => (judged.length === 1 ? giveUp('PushFailed')() : { ended: judged.length > 2 });
await namespace.withActivities(noting(judged, { evaluateWatches }), async () => {
  await createWatchStart({ ...namespace, log: console })();
  await namespace.client.workflow.getHandle(WATCHES_WORKFLOW_ID).result();
});
await save('watches-after-a-failure', WATCHES_WORKFLOW_ID);

const scene = new Scene(namespace);
const startRevision: ReturnType<Scene['activities']>['startRevision'] = async (ref) =>
  ref.generation === 2 ? giveUp('ProbeFailed')() : revisionOf(ref);
await namespace.withActivities(scene.activities({ startRevision }), async () => {
  await scene.tell();
  await scene.called('superviseRevision 1');
  await scene.change();
  await scene.called('recordDeploymentFailed 2 ProbeFailed in startRevision');
  await scene.change();
  await scene.called('superviseRevision 3');
  await scene.remove();
});
await save('deployment-updated-and-deleted', `deployment/${scene.ref.id}`);

const crashing = new Scene(namespace);
await namespace.withActivities(crashing.activities({ superviseRevision: giveUp('CrashLoop') }), async () => {
  await crashing.tell();
  await crashing.called('retireReplicas');
  await crashing.remove();
});
await save('deployment-crashed', `deployment/${crashing.ref.id}`);

const canceled = new Scene(namespace);
await namespace.withActivities(canceled.activities(), async () => {
  await canceled.tell();
  await canceled.called('superviseRevision 1');
  const handle = namespace.handle('deployment', canceled.ref.id);
  await handle.cancel();
  await handle.result().catch(() => undefined);
});
await save('deployment-canceled', `deployment/${canceled.ref.id}`);
await recordRollouts(namespace, save);
await recordGuards(namespace, save);

// Its id is created again while it is removed: the same workflow goes on with the new one.
const gone = new Scene(namespace);
const next = newRef({ id: gone.ref.id });
let nextIsGone = false;
const again = {
  readDeployment: async ({ uid }: { uid: string }) => ({
    generation: 1,
    deleted: uid === gone.ref.uid ? gone.deleted : nextIsGone,
  }),
  removeDeployment: async ({ uid }: { uid: string }) => {
    if (uid === gone.ref.uid) await namespace.runs.changed('deployment', next);
  },
};
await namespace.withActivities(gone.activities(again), async () => {
  await gone.tell();
  await gone.called('superviseRevision 1');
  const handle = namespace.handle('deployment', gone.ref.id);
  const { runId } = await handle.describe();
  gone.deleted = true;
  await gone.tell();
  await eventually(() => gone.count('superviseRevision 1') === 2);
  nextIsGone = true;
  await namespace.runs.changed('deployment', next);
  await handle.result();
  // language: the name of a kept history.
  await save('deployment-created-anew', `deployment/${gone.ref.id}`, runId);
});

const EVERY = { ...TRAINING, ...PACKAGING, ...PIPELINE };
await record('pipeline-succeeded', 'pipeline', EVERY);
await record('pipeline-failed', 'pipeline', { ...EVERY, checkPipelineMetrics: giveUp('GateFailed') });
await record('pipeline-child-failed', 'pipeline', {
  ...{ ...EVERY, awaitTraining: giveUp('ToolchainFailed'), concludePipelineTraining: giveUp('ToolchainFailed') },
});
await record('pipeline-canceled', 'pipeline', { ...EVERY, awaitTraining: goOn }, 'awaitTraining');
await record(
  'pipeline-canceled-in-deployment',
  'pipeline',
  { ...EVERY, awaitPipelineDeployment: goOn },
  'awaitPipelineDeployment',
);

for (const [name, word] of [
  ['approved', 'approved'],
  ['rejected', 'rejected'],
] as const) {
  await withPipelineRun(namespace, asking(), async ({ ref, called, decide, outcome }) => {
    await namespace.runs.changed('pipeline', ref);
    await called('beginPipelineApproval 1');
    await decide(word);
    await outcome();
    await save(`pipeline-${name}`, `run/${ref.id}`);
  });
}
await withPipelineRun(namespace, asking(1), async ({ ref, outcome }) => {
  await namespace.runs.changed('pipeline', ref);
  await outcome();
  await save('pipeline-not-decided', `run/${ref.id}`);
});

// Two gates.
await withPipelineRun(namespace, NOTIFYING, async ({ ref, called, decide, outcome }) => {
  await namespace.runs.changed('pipeline', ref);
  await called('beginPipelineApproval 1');
  await decide('approved');
  await outcome();
  await save('pipeline-held-out-and-approved', `run/${ref.id}`);
});

// Tried again while it waits: the first generation is undone and continued as the second one.
await withPipelineRun(namespace, asking(), async ({ ref, called, decide, outcome }) => {
  await namespace.runs.changed('pipeline', ref);
  await called('beginPipelineApproval 1');
  const { runId } = await namespace.handle('pipeline', ref.id).describe();
  await namespace.runs.changed('pipeline', { ...ref, generation: 2 });
  await called('beginPipelineApproval 2');
  await decide('approved', 'approved by ann', 2);
  await outcome();
  await save('pipeline-superseded', `run/${ref.id}`, runId);
  await save('pipeline-retried', `run/${ref.id}`);
});

// Its training was started by the sweep.
let release = (): void => {};
const held = new Promise<void>((resolve) => (release = resolve));
const shared = { awaitTraining: () => held, awaitPipelineChild: () => held };
await withPipelineRun(namespace, shared, async ({ ref, called, outcome }) => {
  await namespace.runs.changed('training', childOf(ref));
  await called('awaitTraining 1');
  await namespace.runs.changed('pipeline', ref);
  await called('awaitPipelineChild training');
  release();
  await outcome();
  await save('pipeline-child-started-by-sweep', `run/${ref.id}`);
});

/** One turn of a schedule; `during` names the step in which it is canceled. */
async function recordTurn(name: string, activities: object, during?: string): Promise<void> {
  const calls: string[] = [];
  await namespace.withActivities(noting(calls, { ...EVERY, ...activities }), async () => {
    const options = { workflowId: name, taskQueue: 'control', args: [{ pipelineId: 'wine', settings: 'x' }] };
    const turn = await namespace.client.workflow.start('retraining', options);
    if (during !== undefined) {
      await eventually(() => calls.includes(`${during} 1`));
      await turn.cancel();
    }
    await turn.result().catch(() => undefined);
  });
  await save(name, name);
}
const opening = () => {
  const run = newRef();
  return { openScheduledRun: async () => ({ run, why: '' }) };
};
await recordTurn('retraining-ran', opening());
await recordTurn('retraining-skipped', { openScheduledRun: async () => ({ why: 'a run goes on' }) });
await recordTurn('retraining-failed', { ...opening(), checkPipelineMetrics: giveUp('GateFailed') });
await recordTurn('retraining-canceled', { ...opening(), awaitTraining: goOn }, 'awaitTraining');

/** A round of each control loop in two turns, and one whose activity gives up. */
for (const [loop, activity] of [
  ['sweep', 'sweep'],
  ['triggers', 'checkTriggers'],
  ['upkeep', 'upkeep'],
] as const) {
  const round = async (name: string, turn: (from?: RoundPosition) => Promise<RoundResult>): Promise<void> => {
    await namespace.withActivities({ [activity]: turn }, async () => {
      const start = { workflowId: name, taskQueue: 'control' };
      await namespace.client.workflow.execute(loop, start).catch(() => undefined);
    });
    await save(name, name);
  };
  const next = { part: 'training', item: 'wine' };
  await round(loop, async (from) => ({ done: { runs_started: 1 }, skipped: [], ...(from ? {} : { next }) }));
  await round(`${loop}-failed`, giveUp('Conflict'));
}
await namespace.close();
