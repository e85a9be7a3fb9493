import { cancellationSignal } from '@temporalio/activity';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { LogSink } from '../../platform/engines/driver.js';
import { logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import type { LogStore, LogWriter } from '../../platform/stores/logs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { whileBeating } from '../shared/heartbeat.js';
import { lineSink } from '../shared/log-sink.js';
import { messageOf, withPatience } from '../shared/patience.js';
import { currentResource } from '../shared/status.js';
import { withinLimit } from './time-limit.js';

/** A step of a packaging that runs now. */
export interface PackagingStep {
  packaging: Packaging;
  log: LogWriter;
  /** Appends a line to `log`. */
  say: LogSink;
  /** Aborts on cancellation and at the limit of the packaging. */
  signal: AbortSignal;
}

interface StepRunnerDeps {
  packagings: ResourceStore<Packaging>;
  logs: LogStore;
  /** Limit of a whole packaging, from the start of its first step. */
  limitSeconds: number;
  now: () => Date;
}

export type RunPackagingStep = <T>(ref: RunRef, name: string, work: (step: PackagingStep) => Promise<T>) => Promise<T>;

/** Runs steps of a packaging: with the log open, with heartbeats, within the time limit. */
export function createStepRunner({ packagings, logs, limitSeconds, now }: StepRunnerDeps): RunPackagingStep {
  return async (ref, name, work) => {
    const packaging = await currentResource(packagings, ref);
    const log = await logs.writer(logPrefix('packaging', ref));
    await log.step(name);
    const { startedAt } = packaging.status;
    const limit = { startedAt: startedAt === undefined ? now() : new Date(startedAt), limitSeconds, now };
    const say = lineSink(log, now);
    try {
      const signal = cancellationSignal();
      const limited = () => withinLimit({ ...limit, signal }, (signal) => work({ packaging, log, say, signal }));
      return await whileBeating(() => withPatience(messageOf(packagings, ref), limited));
    } finally {
      await log.flush();
    }
  };
}
