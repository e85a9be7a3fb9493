/**
 * Writes the histories that every later version must be able to replay:
 * `TEMPORAL_ADDRESS=<host:port> npx tsx test/workflows/record-histories.ts test/histories/<version>`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { JobKind } from '../../resources/ids.js';
import { giveUp, goOn, IMPORT, noting, PACKAGING, TRAINING } from './fakes.js';
import { createImportRuns } from '../../workers/import-runs.js';
import { importWorkflowId } from '../../resources/import.js';
import { eventually, newRef, openNamespace } from './namespace.js';
import { isFirst, revisionOf, Scene } from './scene.js';

const [, , folder = ''] = process.argv;
const namespace = await openNamespace();
await mkdir(folder, { recursive: true });

async function save(name: string, workflow: string, runId?: string): Promise<void> {
  const history = await namespace.client.workflow.getHandle(workflow, runId).fetchHistory();
  // Traces name folders of this machine.
  const text = JSON.stringify(JSON.parse(historyToJSON(history)), (key, value: unknown) =>
    key === 'stackTrace' ? undefined : value,
  );
  await writeFile(join(folder, `${name}.json`), `${text}\n`);
}

/** Runs one training or packaging; `during` names the step in which it is canceled. */
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
  await save(name, `${kind}/${ref.id}`);
}

await record('training-succeeded', 'training', TRAINING);
await record('training-failed', 'training', { ...TRAINING, awaitTraining: giveUp('ToolchainFailed') });
await record('training-canceled', 'training', { ...TRAINING, awaitTraining: goOn }, 'awaitTraining');
await record('packaging-succeeded', 'packaging', PACKAGING);
await record('packaging-failed', 'packaging', { ...PACKAGING, testImage: giveUp('SelfCheckFailed') });
await record('packaging-canceled', 'packaging', { ...PACKAGING, buildImage: goOn }, 'buildImage');

async function recordImport(name: string, changes: Partial<typeof IMPORT> = {}, during?: string): Promise<void> {
  const calls: string[] = [];
  const runs = createImportRuns(namespace);
  const id = `imp_${name}`;
  await namespace.withActivities(noting(calls, { ...IMPORT, ...changes }), async () => {
    await runs.start(id);
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

const overtaken = newRef();
const calls: string[] = [];
const prepareWorkspace: typeof TRAINING.prepareWorkspace = (ref) =>
  isFirst(ref) ? goOn() : TRAINING.prepareWorkspace(ref);
await namespace.withActivities(noting(calls, { ...TRAINING, prepareWorkspace }), async () => {
  await namespace.runs.changed('training', overtaken);
  await eventually(() => calls.includes('prepareWorkspace 1'));
  const { runId } = await namespace.handle('training', overtaken.id).describe();
  await namespace.runs.changed('training', { ...overtaken, generation: 2 });
  await namespace.handle('training', overtaken.id).result();
  await save('training-superseded', `training/${overtaken.id}`, runId);
});

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

await namespace.withActivities({ sweep: async () => ({ started: 1, canceled: 0, removed: 0 }) }, async () => {
  await namespace.client.workflow.execute('sweep', { workflowId: 'sweep/once', taskQueue: 'control' });
});
await save('sweep', 'sweep/once');
await namespace.close();
