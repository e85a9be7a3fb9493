import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { NativeConnection, WorkerDeploymentOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Settings } from '../../config.js';
import { workflowDigest } from './bundle.js';
import { VERSION } from './version.js';

const DEPLOYMENT = 'slipway';
const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** The build of this worker: the release, and the fingerprint of its workflows. */
export async function workerVersion(): Promise<WorkerDeploymentVersion> {
  return { deploymentName: DEPLOYMENT, buildId: `${VERSION}-${await workflowDigest()}` };
}

interface Server {
  connection: Pick<NativeConnection, 'workflowService'>;
  settings: Pick<Settings, 'TEMPORAL_NAMESPACE' | 'SLIPWAY_WORKER_VERSIONING'>;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Every worker says which build it is; routing by build is a setting (see `docs/decisions/worker-versioning.md`). */
export async function deploymentOptions(
  version: WorkerDeploymentVersion,
  { connection, settings, log }: Server,
): Promise<WorkerDeploymentOptions> {
  if (!settings.SLIPWAY_WORKER_VERSIONING) return { version, useWorkerVersioning: false };
  try {
    await connection.workflowService.listWorkerDeployments({ namespace: settings.TEMPORAL_NAMESPACE, pageSize: 1 });
  } catch (err) {
    if (!hasCode(err, UNIMPLEMENTED)) throw err;
    log.warn('SLIPWAY_WORKER_VERSIONING has no effect: the Temporal server is older than 1.29');
    return { version, useWorkerVersioning: false };
  }
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * Lets tasks come to workers that poll already: their build becomes the current one, or routing ends that other workers
 * began. The server refuses while a queue in use has no worker of this build; another process of the build has yet to start.
 */
export async function takeTasks(
  { version, useWorkerVersioning }: WorkerDeploymentOptions,
  { connection, settings, log }: Server,
  { signal, retryMs = 1_000 }: { signal: AbortSignal; retryMs?: number },
): Promise<void> {
  const { deploymentName } = version;
  const deployment = { namespace: settings.TEMPORAL_NAMESPACE, deploymentName };
  const buildId = useWorkerVersioning ? version.buildId : '';
  for (let failed = false; !signal.aborted; failed = true) {
    try {
      if (!useWorkerVersioning && !(await isRouted(connection, deployment))) return;
      await connection.workflowService.setWorkerDeploymentCurrentVersion({ ...deployment, buildId });
      return log.info({ deploymentName, buildId }, 'Temporal sends tasks to this build');
    } catch (err) {
      if (!failed) log.warn({ err, deploymentName, buildId }, 'Temporal sends no tasks to this build yet');
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Whether tasks go only to workers of some build. */
async function isRouted(
  { workflowService }: Server['connection'],
  deployment: { namespace: string; deploymentName: string },
): Promise<boolean> {
  try {
    const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment(deployment);
    return Boolean(workerDeploymentInfo?.routingConfig?.currentDeploymentVersion);
  } catch (err) {
    if (hasCode(err, NOT_FOUND, UNIMPLEMENTED)) return false;
    throw err;
  }
}

const hasCode = (err: unknown, ...codes: number[]): boolean => isGrpcServiceError(err) && codes.includes(err.code);
