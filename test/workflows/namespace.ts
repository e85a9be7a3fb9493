import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createFailureInterceptor } from '../../activities/shared/interceptor.js';
import { type RunKind, type RunRef, workflowId } from '../../platform/kinds/ids.js';
import { QUEUES } from '../../platform/kinds/queues.js';
import { createRuns } from '../../workers/compose/runs.js';
import { registerNamespace } from '../stack/temporal-namespace.js';
import { sharedWorkflowBundle } from '../stack/workflow-bundle.js';

/** Kept histories name no machine. */
const IDENTITY = 'test';

const buildOf = (bundle: string) => ({
  version: { deploymentName: 'test', buildId: bundle },
  useWorkerVersioning: false as const,
});

let isInstalled = false;
/** Installs the runtime of the SDK: once in a process. */
function installRuntime(): void {
  if (!isInstalled) Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  isInstalled = true;
}

interface NamespaceOptions {
  /** The name of a namespace that is open already. */
  name?: string;
  dataConverter?: DataConverter;
  encodesFailures?: boolean;
}

/**
 * A namespace of its own on the server of the tests, so that the queues of the product do not meet those of other
 * tests, and our workflows on a worker with the activities of a test.
 */
export async function openNamespace({ name, dataConverter, encodesFailures = false }: NamespaceOptions = {}) {
  installRuntime();
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  const namespace = name ?? (await registerNamespace(`test-${randomUUID()}`));
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection, namespace, identity: IDENTITY, dataConverter });
  const codePath = await sharedWorkflowBundle({ encodesFailures });
  const log = { warn: (...said: unknown[]) => console.error(...said) };

  return {
    name: namespace,
    client,
    runs: createRuns({ client, log }),
    handle: (kind: RunKind, id: string) => client.workflow.getHandle(workflowId(kind, id)),

    /**
     * Runs `work` while a worker with these activities polls every queue, with `slots` for the activities of some. With
     * several bundles of workflows there is a worker of each, and none keeps a workflow from the other.
     */
    async withActivities<T>(
      activities: object,
      work: () => Promise<T>,
      { slots = {}, bundles = [codePath] }: { slots?: Partial<Record<string, number>>; bundles?: string[] } = {},
    ): Promise<T> {
      const workers = await Promise.all(
        bundles.flatMap((bundle) =>
          Object.entries(QUEUES).map(([taskQueue, { workflows }]) =>
            Worker.create({
              connection: native,
              namespace,
              taskQueue,
              dataConverter,
              identity: IDENTITY,
              activities,
              maxConcurrentActivityTaskExecutions: slots[taskQueue],
              ...(workflows && { workflowBundle: { codePath: bundle } }),
              // One process has one worker of a build for each queue.
              ...(bundles.length > 1 && { maxCachedWorkflows: 0, workerDeploymentOptions: buildOf(bundle) }),
              // A test hears of a cancellation at once.
              maxHeartbeatThrottleInterval: '20ms',
              interceptors: { activity: [() => ({ inbound: createFailureInterceptor() })] },
            }),
          ),
        ),
      );
      const running = Promise.all(workers.map((worker) => worker.run()));
      try {
        return await work();
      } finally {
        for (const worker of workers) worker.shutdown();
        await running;
      }
    },

    async close(): Promise<void> {
      await native.close();
      await connection.close();
    },
  };
}
export type TestNamespace = Awaited<ReturnType<typeof openNamespace>>;

let count = 0;
/** The first generation of an entity that no other test has. */
export function newRef(changes: Partial<RunRef> = {}): RunRef {
  return { id: `thing-${(count += 1)}`, uid: randomUUID(), generation: 1, ...changes };
}

/** Repeats `look` until it neither throws nor answers `undefined` or `false`. */
export async function eventually<T>(look: () => Promise<T> | T, timeoutMs = 120_000): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ; await sleep(20)) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > deadline) throw new Error(`not so after ${timeoutMs} ms`);
    } catch (err) {
      if (Date.now() > deadline) throw err;
    }
  }
}
