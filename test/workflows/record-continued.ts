/**
 * Writes the histories of long lives that go on in a new run, and of such lives that are canceled. A server suggests a
 * new run after 4,096 events, which would be large files; so this wants one of its own that suggests it sooner:
 * `temporal server start-dev --headless --dynamic-config-value limit.historyCount.suggestContinueAsNew=20`, then
 * `TEMPORAL_ADDRESS=<host:port> npx tsx test/workflows/record-continued.ts test/histories/<version>`.
 */
import type { DrainResult } from '../../activities/notifications/drain.js';
import { notificationWorkflowId } from '../../notifications/kinds/subscription-ref.js';
import { WATCHES_WORKFLOW_ID } from '../../notifications/kinds/watch-ref.js';
import { createWake } from '../../workers/compose/notifications.js';
import { createWatchStart } from '../../workers/compose/watches.js';
import { goOn, noting } from './fakes.js';
import { keepHistories } from './keep-histories.js';
import { eventually, openNamespace } from './namespace.js';
import { Scene } from './scene.js';

const [, , folder = ''] = process.argv;
const namespace = await openNamespace();
const save = await keepHistories(namespace.client, folder);

interface LongLife {
  workflowId: string;
  start: () => Promise<void>;
  /** The one activity of its turns. */
  name: string;
  turn: object;
  lastTurn: object;
}

async function recordContinued(history: string, { workflowId, start, name, turn, lastTurn }: LongLife): Promise<void> {
  const handle = namespace.client.workflow.getHandle(workflowId);
  let isLast = false;
  await namespace.withActivities({ [name]: async () => (isLast ? lastTurn : turn) }, async () => {
    await start();
    const { runId } = await handle.describe();
    await eventually(async () => (await handle.describe()).runId !== runId);
    isLast = true;
    await handle.result();
    await save(history, workflowId, runId);
  });
}

async function recordCanceled(history: string, { workflowId, start, name }: LongLife): Promise<void> {
  const handle = namespace.client.workflow.getHandle(workflowId);
  const calls: string[] = [];
  await namespace.withActivities(noting(calls, { [name]: goOn }), async () => {
    await start();
    await eventually(() => calls.length > 0);
    await handle.cancel();
    await handle.result().catch(() => undefined);
  });
  await save(history, workflowId);
}

const notification: LongLife = {
  workflowId: notificationWorkflowId('sub_long'),
  start: () => createWake(namespace.client)('sub_long'),
  name: 'drainNotices',
  turn: { ended: false, more: true } satisfies DrainResult,
  lastTurn: { ended: true, more: false } satisfies DrainResult,
};
await recordContinued('notification-continued', notification);
await recordCanceled('notification-canceled', notification);

const watches: LongLife = {
  workflowId: WATCHES_WORKFLOW_ID,
  start: createWatchStart({ ...namespace, log: console }),
  name: 'evaluateWatches',
  turn: { ended: false },
  lastTurn: { ended: true },
};
await recordContinued('watches-continued', watches);
await recordCanceled('watches-canceled', watches);

const scene = new Scene(namespace);
await namespace.withActivities(scene.activities(), async () => {
  await scene.tell();
  await scene.called('superviseRevision 1');
  const handle = namespace.handle('deployment', scene.ref.id);
  const { runId } = await handle.describe();
  while ((await handle.describe()).runId === runId) {
    await scene.change();
    await scene.called(`superviseRevision ${scene.generation}`);
  }
  await scene.remove();
  await save('deployment-continued', `deployment/${scene.ref.id}`, runId);
});

await namespace.close();
