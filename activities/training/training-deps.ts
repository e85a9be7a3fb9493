import { logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { LogStore, LogWriter } from '../../platform/stores/logs.js';
import type { PythonInstaller } from '../shared/python-installer.js';
import type { RegistryDeps } from '../shared/platform-repository.js';
import type { RenewLease } from '../shared/lease.js';
import type { FeedbackDataDeps } from './feedback-data.js';
import type { SourceDeps } from './training-source.js';

export interface TrainingDeps extends SourceDeps, FeedbackDataDeps, PythonInstaller, RegistryDeps {
  toolchains: ResourceStore<ToolchainIntegration>;
  lineage: Pick<LineageLog, 'keep'>;
  engine: EngineDriver;
  logs: LogStore;
  /** Limit of the user's program. */
  limitSeconds: number;
  /** Most disk space of the files of one training in its container. */
  diskBytes?: number;
  /** Tells Temporal that an attempt is alive, and waits for its answer. @throws when the attempt is not the one that counts */
  renewLease: RenewLease;
  /** Programs that may run at once on the engine. */
  mostAtOnce?: number;
  /** Between two polls of a container. */
  pollMs?: number;
  now?: () => Date;
}

/** Opens the log of a training at one of its steps. */
export async function openStepLog(logs: LogStore, ref: RunRef, step: string): Promise<LogWriter> {
  const log = await logs.writer(logPrefix('training', ref));
  await log.step(step);
  return log;
}
