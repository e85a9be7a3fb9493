import { heartbeat, log } from '@temporalio/activity';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toRef } from '../../platform/kinds/generation.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { Triggers } from './triggers.js';

export interface PipelineSweepDeps {
  pipelines: ResourceStore<Pipeline>;
  schedules: Schedules;
  triggers: Triggers;
  runs: Runs;
}

/** Keeps the schedules of pipelines as their documents say, and starts runs that a trigger calls for. @returns how many */
export async function sweepPipelines({ pipelines, schedules, triggers, runs }: PipelineSweepDeps): Promise<number> {
  let started = 0;
  for (const pipeline of await pipelines.list()) {
    heartbeat();
    await schedules.reconcile(pipeline);
    const run = await triggers.check(pipeline).catch((err: unknown) => {
      // One pipeline whose bucket is gone must not keep the others from their runs.
      if (!(err instanceof SlipwayError)) throw err;
      if (err.code !== 'not_finished' && err.code !== 'not_found') {
        log.warn('the triggers of a pipeline could not be looked at', { pipeline: pipeline.id, message: err.message });
      }
      return undefined;
    });
    if (run === undefined) continue;
    await runs.changed('pipeline', toRef(run));
    started += 1;
  }
  return started;
}
