import { heartbeat, log } from '@temporalio/activity';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toRef } from '../../platform/kinds/generation.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import type { PipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { Triggers } from './triggers.js';

export interface PipelineSweepDeps {
  pipelines: ResourceStore<Pipeline>;
  schedules: Schedules;
  triggers: Triggers;
  runs: Runs;
  pipelineSubscriptions: Pick<PipelineSubscriptions, 'repair'>;
}

/** Reconciles schedules and subscriptions of pipelines with their specs and starts runs whose trigger fired. @returns how many */
export async function sweepPipelines(deps: PipelineSweepDeps): Promise<number> {
  const { pipelines, schedules, triggers, runs, pipelineSubscriptions } = deps;
  let started = 0;
  heartbeat();
  await pipelineSubscriptions.repair();
  for (const pipeline of await pipelines.list()) {
    heartbeat();
    await schedules.reconcile(pipeline);
    const run = await triggers.check(pipeline).catch((err: unknown) => {
      // One pipeline whose bucket is gone must not keep the others from their runs.
      if (!(err instanceof SlipwayError)) throw err;
      if (err.code !== 'not_finished' && err.code !== 'not_found') {
        log.warn('the triggers of a pipeline could not be checked', { pipeline: pipeline.id, message: err.message });
      }
      return undefined;
    });
    if (run === undefined) continue;
    await runs.changed('pipeline', toRef(run));
    started += 1;
  }
  return started;
}
