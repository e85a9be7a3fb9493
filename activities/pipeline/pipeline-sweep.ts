import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import type { PipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { type RoundPart, SOME_AT_ONCE } from '../shared/round.js';

export interface PipelineSweepDeps {
  pipelines: ResourceStore<Pipeline>;
  schedules: Pick<Schedules, 'outdated' | 'reconcile'>;
  pipelineSubscriptions: Pick<PipelineSubscriptions, 'repairs' | 'removals'>;
}

/** Brings the schedules and subscriptions of pipelines in line with their specs. */
export function createPipelineSweep({ pipelines, schedules, pipelineSubscriptions }: PipelineSweepDeps): RoundPart[] {
  async function reconcile(id: string) {
    // Read right before: the sweep must not bring back a schedule that was paused, changed or removed since its start.
    const pipeline = await pipelines.get(id);
    const written = pipeline !== undefined && (await schedules.reconcile(pipeline));
    return written ? { schedules_written: 1 } : undefined;
  }

  async function* sweepSchedules(): AsyncGenerator<LoopItem> {
    const outdated = await schedules.outdated(await pipelines.list());
    for (const { id } of outdated) yield { name: id, act: () => reconcile(id) };
  }

  return [
    { name: 'schedule of pipeline', items: sweepSchedules, atOnce: SOME_AT_ONCE },
    { name: 'subscriptions of pipeline', items: () => pipelineSubscriptions.repairs(), atOnce: SOME_AT_ONCE },
    { name: 'subscription without a pipeline', items: () => pipelineSubscriptions.removals(), atOnce: SOME_AT_ONCE },
  ];
}
