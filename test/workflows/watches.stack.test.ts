import { activityInfo } from '@temporalio/activity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WATCHES_WORKFLOW_ID } from '../../notifications/kinds/watch-ref.js';
import { createWatchStart } from '../../workers/compose/watches.js';
import { giveUp } from './fakes.js';
import { openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

test('the evaluator goes on after a failure, and ends when there is no watch', async () => {
  let turns = 0;
  const evaluateWatches = async () => {
    turns += 1;
    return turns === 1 ? giveUp('PushFailed')() : { ended: turns === 3 };
  };
  await namespace.withActivities({ evaluateWatches }, async () => {
    await createWatchStart({ ...namespace, log: console })();
    await namespace.client.workflow.getHandle(WATCHES_WORKFLOW_ID).result();
  });
  expect(turns).toBe(3);
});

test('a watch that comes while the last one ends is looked at', async () => {
  const start = createWatchStart({ ...namespace, log: console });
  let turns = 0;
  const evaluateWatches = async () => {
    turns += 1;
    if (turns === 1) await start();
    return { ended: true };
  };
  await namespace.withActivities({ evaluateWatches }, async () => {
    await start();
    await namespace.client.workflow.getHandle(WATCHES_WORKFLOW_ID).result();
  });
  expect(turns).toBe(2);
});

test('a long life goes on in a new run', async () => {
  const runs = new Set<string>();
  // The server suggests a new run when the history holds 4 MiB.
  const padding = 'x'.repeat(500_000);
  const evaluateWatches = async () => {
    runs.add(activityInfo().workflowExecution?.runId ?? '');
    return { ended: runs.size > 1, padding };
  };
  await namespace.withActivities({ evaluateWatches }, async () => {
    await createWatchStart({ ...namespace, log: console })();
    await namespace.client.workflow.getHandle(WATCHES_WORKFLOW_ID).result();
  });
  expect(runs.size).toBe(2);
});
