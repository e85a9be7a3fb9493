import type { Resource } from '../../platform/kinds/resource.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { JobKind } from '../../platform/kinds/ids.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { RunStatus } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { ResourceStep } from './resource-steps.js';
import { runAgain, toRef } from '../../platform/kinds/generation.js';
import { sendRunLog } from './run-log.js';
import type { RunLogDeps } from './run-log.js';
import type { Runs } from '../../platform/kinds/runs.js';

interface RunStepsOptions<Spec extends object, Status extends RunStatus> extends RunLogDeps {
  kind: JobKind;
  store: ResourceStore<Resource<Spec, Status>>;
  runs: Runs;
  freshStatus: (now: Date) => Status;
  now: () => Date;
  /** The message for a log that has not begun. */
  notStarted: (id: string) => string;
}

/** Steps of kinds that run to an end: training and packaging. */
export function runSteps<Spec extends object, Status extends RunStatus>(options: RunStepsOptions<Spec, Status>) {
  const { kind, store, runs, freshStatus, now, notStarted } = options;
  type ThisStep = ResourceStep<Spec, Status>;

  // After the document is stored: if this process dies before the run starts, the sweep starts it.
  const start: ThisStep = async (ctx, next) => {
    const { before, resource } = ctx.state;
    if (before?.generation !== resource.generation) await runs.changed(kind, resource);
    await next();
  };

  const rerun: ThisStep = async (ctx, next) => {
    ctx.state.resource = await store.update(ctx.state.resource.id, (current) => {
      if (!isFinal(current.status.state)) {
        throw new SlipwayError('not_finished', `${kind} "${current.id}" has not finished yet`);
      }
      return runAgain(current, freshStatus(now()));
    });
    await next();
  };

  const askToCancel: ThisStep = async (ctx, next) => {
    ctx.state.resource = await store.update(ctx.state.resource.id, (current) => {
      if (isFinal(current.status.state)) {
        throw new SlipwayError('already_finished', `${kind} "${current.id}" has finished already`);
      }
      return current.cancelRequestedAt ? undefined : { ...current, cancelRequestedAt: now().toISOString() };
    });
    await next();
  };

  const cancelRun: ThisStep = async (ctx, next) => {
    const { resource } = ctx.state;
    if (!isFinal(resource.status.state)) await runs.cancel(kind, toRef(resource));
    await next();
  };

  const readLog: ThisStep = async (ctx) => {
    const { resource: run } = ctx.state;
    const reload = () => store.get(run.id);
    await sendRunLog(ctx, { kind, run, reload, notStarted: notStarted(run.id) }, options);
  };

  return { start, rerun, askToCancel, cancelRun, readLog };
}
