import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Trigger, TriggerType } from '../../lifecycle/kinds/pipeline-trigger.js';
import type { DriftMeasure } from '../../lifecycle/kinds/drift.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { FeedbackMeter } from '../../lifecycle/stores/feedback-meter.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import type { TriggeredRuns } from '../../lifecycle/stores/triggered-runs.js';
import { digestOf } from '../../lifecycle/stores/reuse.js';
import { digestOfListing } from './reuse.js';
import { openAt, type SourceDeps } from '../training/training-source.js';

export interface TriggersDeps extends SourceDeps {
  pipelines: ResourceStore<Pipeline>;
  pipelineRunStore: PipelineRunStore;
  triggeredRuns: TriggeredRuns;
  feedbackMeter: FeedbackMeter;
  now?: () => Date;
}

/** Why a run is to be made, and how far its trigger has come with it. */
type Cause = Pick<Trigger, 'message' | 'position'>;

/** Whether any of the triggers that are looked at is set. */
export function isTriggered({ spec }: Pipeline): boolean {
  const { feedback, drift, data } = spec.triggers;
  return feedback.records > 0 || drift.measure !== undefined || data;
}

/**
 * The triggers that are looked at from time to time. What happens while a run goes on is not lost: the trigger has not
 * moved on, and a later look finds the same cause.
 */
export function createTriggers(deps: TriggersDeps) {
  const { pipelines, pipelineRunStore, triggeredRuns, feedbackMeter, now = () => new Date() } = deps;

  const causes: Partial<Record<TriggerType, (pipeline: Pipeline) => Promise<Cause | undefined>>> = {
    feedback: async ({ spec, status, updatedAt }) => {
      const { records } = spec.triggers.feedback;
      if (records === 0) return undefined;
      const known = status.positions.feedback;
      const model = { name: spec.training.model.name };
      const since = known === undefined ? new Date(updatedAt) : Number(known);
      const { count, position } = await feedbackMeter.countSince(model, since);
      if (count < records) return known === undefined ? { position: String(position - count) } : undefined;
      return { message: `${count} new feedback records of model ${model.name}`, position: String(position) };
    },

    drift: async ({ spec, status }) => {
      const { measure, limit, prediction, truth, samples, windowSeconds } = spec.triggers.drift;
      if (measure === undefined) return undefined;
      const windowMs = windowSeconds * 1_000;
      // After a run the window must fill with feedback on the new model first.
      const last = status.positions.drift;
      if (last !== undefined && now().getTime() - Date.parse(last) < windowMs) return undefined;
      const question = { model: { name: spec.training.model.name }, windowMs, prediction, truth };
      const drift = await feedbackMeter.drift({ ...question, measure: measure as DriftMeasure });
      if (drift.error === undefined || drift.samples < samples || drift.error <= limit) return undefined;
      const message = `${measure} is ${drift.error} over ${drift.samples} records, above ${limit}`;
      return { message, position: now().toISOString() };
    },

    data: async ({ spec, status }) => {
      if (!spec.triggers.data) return undefined;
      // Feedback has a trigger of its own.
      const stored = spec.training.data.filter(({ feedback }) => feedback === undefined);
      const digests = stored.map(async ({ connection, remotePath }) =>
        digestOfListing(await openAt(deps, connection, remotePath)),
      );
      const position = digestOf(await Promise.all(digests));
      const known = status.positions.data;
      if (known === position) return undefined;
      return known === undefined ? { position } : { message: 'the data of the training changed', position };
    },
  };

  /** The first trigger that calls for a run; others may begin to count. */
  async function findCause(pipeline: Pipeline): Promise<Trigger | undefined> {
    for (const [type, causeOf] of Object.entries(causes) as [TriggerType, (typeof causes)[TriggerType]][]) {
      const cause = await causeOf?.(pipeline);
      if (cause === undefined) continue;
      const { message, position } = cause;
      if (message !== undefined) return { type, at: now().toISOString(), message, position };
      await beginAt(pipeline.id, type, position);
    }
    return undefined;
  }

  return {
    /**
     * Makes a run if something calls for one.
     * @param listed the pipeline as a list shows it, which may be some seconds old
     * @returns the run; `undefined` when nothing does, or one is going on already
     * @throws quota_exceeded, after it was noted: a later look tries again; unavailable when a store does not answer
     */
    async check(listed: Pipeline): Promise<PipelineRun | undefined> {
      // Most looks end here: only a cause is worth the reads of the newest run, which may have been its effect.
      if ((await findCause(listed)) === undefined) return undefined;
      const { pipeline, run } = await pipelineRunStore.newest(listed.id);
      if (run && !isFinal(run.status.state)) return undefined;
      const trigger = await findCause(pipeline);
      return trigger && triggeredRuns.open(pipeline.id, { trigger });
    },
  };

  /** Where a trigger begins to count, unless it has begun since the pipeline was listed. */
  async function beginAt(id: string, type: TriggerType, position: string | undefined): Promise<void> {
    await pipelines.update(id, (current) => {
      const { positions } = current.status;
      if (positions[type] !== undefined) return undefined;
      return { ...current, status: { ...current.status, positions: { ...positions, [type]: position } } };
    });
  }
}
export type Triggers = ReturnType<typeof createTriggers>;
