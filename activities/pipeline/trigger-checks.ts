import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Done, LoopItem } from '../../platform/kinds/loop-items.js';
import type { RoundPosition, RoundResult } from '../../platform/kinds/round.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { type RoundOptions, runTurn, SOME_AT_ONCE } from '../shared/round.js';
import { isTriggered, type Triggers } from './triggers.js';

export interface TriggerDeps {
  pipelines: Pick<ResourceStore<Pipeline>, 'list'>;
  triggers: Triggers;
  runs: Pick<Runs, 'changed'>;
  options?: Pick<RoundOptions, 'turnMs' | 'itemMs' | 'onSkipped'>;
}

export type TriggerActivities = ReturnType<typeof createTriggerActivities>;

/** Starts runs of pipelines whose feedback, drift or data calls for one. */
export function createTriggerActivities({ pipelines, triggers, runs, options }: TriggerDeps) {
  async function check(pipeline: Pipeline): Promise<Done> {
    let run: PipelineRun | undefined;
    try {
      run = await triggers.check(pipeline).catch(unlessRemoved);
    } catch (err) {
      if (!(err instanceof SlipwayError) || err.code !== 'quota_exceeded') throw err;
      return { runs_refused: 1 }; // the status of the pipeline and the audit log say why
    }
    if (run === undefined) return undefined;
    await runs.changed('pipeline', run);
    return { runs_started: 1 };
  }

  async function* items(): AsyncGenerator<LoopItem> {
    const triggered = (await pipelines.list()).filter(isTriggered);
    for (const pipeline of triggered) yield { name: pipeline.id, act: () => check(pipeline) };
  }

  return {
    checkTriggers: (from?: RoundPosition): Promise<RoundResult> =>
      runTurn([{ name: 'pipeline', items, atOnce: SOME_AT_ONCE }], { from, ...options }),
  };
}

/** Lets pass that the pipeline was removed, or that another run began, since the pipelines were read. */
function unlessRemoved(err: unknown): undefined {
  const passes = err instanceof SlipwayError && (err.code === 'not_found' || err.code === 'not_finished');
  if (!passes) throw err;
}
