import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { type RunRef, workflowId } from '../../../platform/kinds/ids.js';
import type { Queue } from '../../../platform/kinds/queues.js';
import { createRuns } from '../../../workers/compose/runs.js';
import { workerOptions } from '../../../workers/compose/task-queues.js';
import { deploymentOptions, takeTasks, workerVersion } from '../../../workers/compose/worker-version.js';
import { registerNamespace } from '../../stack/temporal-namespace.js';
import { sharedWorkflowBundle } from '../../stack/workflow-bundle.js';
import { goOn, PACKAGING } from '../../workflows/fakes.js';
import { eventually, newRef } from '../../workflows/namespace.js';

let connection: Connection;
let native: NativeConnection;
const log = { info: () => undefined, warn: () => undefined };
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  connection = await Connection.connect({ address });
  native = await NativeConnection.connect({ address });
});
afterAll(async () => {
  await native.close();
  await connection.close();
});

const QUEUES: readonly Queue[] = ['control', 'packaging', 'waiting'];
interface Start {
  routing?: boolean;
  queues?: readonly Queue[];
  /** The longest wait until the build is the current one. */
  waitMs?: number;
}

/** A namespace of its own, with workers of builds as `workers/worker.ts` starts them. */
async function openInstallation() {
  const namespace = await registerNamespace(`builds-${randomUUID()}`);
  const client = new Client({ connection, namespace });
  const handle = ({ id }: RunRef) => client.workflow.getHandle(workflowId('packaging', id));

  return {
    runs: createRuns({ client, log }),
    handle,
    async buildsOf(ref: RunRef): Promise<unknown[]> {
      const { events } = await handle(ref).fetchHistory();
      const done = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) => task ?? []);
      return [
        ...new Set(
          done.map(({ deploymentVersion, workerVersion: worker }) => deploymentVersion?.buildId ?? worker?.buildId),
        ),
      ];
    },
    async start(buildId: string, activities: object, { routing = true, queues = QUEUES, waitMs = 60_000 }: Start = {}) {
      const settings = parseSettings({ TEMPORAL_NAMESPACE: namespace, SLIPWAY_WORKER_VERSIONING: String(routing) });
      const server = { connection: native, settings, log };
      const version = { ...(await workerVersion()), buildId };
      const deployment = await deploymentOptions(version, server);
      const parts = { settings, activities, codePath: await sharedWorkflowBundle(), connection: native, deployment };
      const workers = await Promise.all(queues.map((queue) => Worker.create(workerOptions(queue, parts))));
      const running = Promise.all(workers.map((worker) => worker.run()));
      await takeTasks(deployment, server, { signal: AbortSignal.timeout(waitMs), retryMs: 100 });
      return async () => {
        for (const worker of workers) worker.shutdown();
        await running;
      };
    },
  };
}

const isAt = async (run: WorkflowHandle, activity: string): Promise<boolean> =>
  (await run.describe()).raw.pendingActivities?.some(({ activityType }) => activityType?.name === activity) === true;

test.concurrent.each([
  ['without routing', [false, false, false]],
  ['with routing by build', [true, true, true]],
  ['routing is switched on, then off', [false, true, false]],
])('an open run goes on with the build that starts last, also with an older one: %s', async (_, routing) => {
  const installation = await openInstallation();
  const ref = newRef();
  const run = installation.handle(ref);
  const stopFirst = await installation.start('1', { ...PACKAGING, buildImage: goOn }, { routing: routing[0] });
  await installation.runs.changed('packaging', ref);
  await eventually(() => isAt(run, 'buildImage'));
  const stopSecond = await installation.start('2', { ...PACKAGING, testImage: goOn }, { routing: routing[1] });
  await stopFirst();
  await eventually(() => isAt(run, 'testImage'));
  await stopSecond();
  const stopThird = await installation.start('1', PACKAGING, { routing: routing[2] });
  await run.result();
  await stopThird();
  expect(await installation.buildsOf(ref)).toEqual(['1', '2']);
});

test.concurrent(
  'with routing, a build that lacks a queue in use does not become the current one: runs go on with the former',
  async () => {
    const installation = await openInstallation();
    const [before, after] = [newRef(), newRef()];
    const stopFirst = await installation.start('1', PACKAGING);
    await installation.runs.changed('packaging', before);
    await installation.handle(before).result();
    const stopSecond = await installation.start('2', PACKAGING, { queues: ['control'], waitMs: 3_000 });
    await installation.runs.changed('packaging', after);
    await installation.handle(after).result();
    expect(await installation.buildsOf(after)).toEqual(['1']);
    await Promise.all([stopFirst(), stopSecond()]);
  },
);
