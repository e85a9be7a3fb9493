import { SlipwayError, notFound } from '../resources/errors.js';
import { type PipelineRun, pipelineRunId } from '../resources/pipeline-run.js';
import type { Trigger } from '../resources/pipeline-trigger.js';
import type { Pipeline } from '../resources/pipeline.js';
import { freshRun, isFinal } from '../resources/run-status.js';
import type { EntityStore } from './entities.js';

/** What a run is made of beside the pipeline. */
export interface RunRequest {
  /** Instead of the pipeline's own; each must be declared there. */
  parameters?: Record<string, string>;
  version?: string;
  noCache?: boolean;
  trigger: Trigger;
}

/** Runs of pipelines: numbered from 1 without gaps, and never two of a pipeline at once. */
export interface PipelineRunStore {
  /**
   * Makes the next run. A request whose trigger has the `key` of the newest run gets that run again.
   * @throws not_found; not_finished while a run is going on
   */
  open(pipelineId: string, request: RunRequest): Promise<PipelineRun>;
  /** The pipeline as it is with its newest run. @throws not_found */
  newest(pipelineId: string): Promise<{ pipeline: Pipeline; run?: PipelineRun }>;
  get(pipelineId: string, number: number): Promise<PipelineRun | undefined>;
}

export interface PipelineRunsOptions {
  pipelines: EntityStore<Pipeline>;
  pipelineRuns: EntityStore<PipelineRun>;
  now: () => Date;
  newId: () => string;
}

/**
 * Inserting `<pipeline>-<n+1>` makes a run, and only one caller can; `status.lastRun` of the pipeline is a cache that
 * whoever meets a newer run brings forward, positions of triggers with it.
 */
export function createPipelineRuns({ pipelines, pipelineRuns, now, newId }: PipelineRunsOptions): PipelineRunStore {
  const get = (pipelineId: string, number: number) => pipelineRuns.get(pipelineRunId(pipelineId, number));

  async function newest(pipelineId: string): Promise<{ pipeline: Pipeline; run?: PipelineRun }> {
    let pipeline = await pipelines.get(pipelineId);
    if (pipeline === undefined) throw notFound(pipelineId);
    for (;;) {
      const next = await get(pipelineId, pipeline.status.lastRun + 1);
      if (next === undefined) break;
      pipeline = await pipelines.update(pipelineId, (current) => withRun(current, next));
    }
    const run = await get(pipelineId, pipeline.status.lastRun);
    return run === undefined ? { pipeline } : { pipeline, run };
  }

  return {
    get,
    newest,
    async open(pipelineId, request) {
      for (;;) {
        const { pipeline, run } = await newest(pipelineId);
        const { key } = request.trigger;
        if (run && key !== undefined && run.spec.trigger.key === key) return run;
        if (run && !isFinal(run.status.state)) {
          const advice = 'wait for its end or cancel it';
          throw new SlipwayError('not_finished', `run ${run.id} of the pipeline has not finished yet; ${advice}`);
        }
        const made = await pipelineRuns.insert(nextRun(pipeline, request, { now, newId })).catch(unlessTaken);
        if (made === undefined) continue;
        await pipelines.update(pipelineId, (current) => withRun(current, made));
        return made;
      }
    },
  };
}

function nextRun(
  { id, spec, status, createdBy }: Pipeline,
  { parameters = {}, version = spec.version, noCache = spec.noCache, trigger }: RunRequest,
  { now, newId }: Pick<PipelineRunsOptions, 'now' | 'newId'>,
): PipelineRun {
  const at = now();
  const number = status.lastRun + 1;
  const by = trigger.by ?? createdBy;
  return {
    ...{ kind: 'PipelineRun', id: pipelineRunId(id, number), uid: newId(), generation: 1, revision: 1 },
    ...{ createdAt: at.toISOString(), updatedAt: at.toISOString(), createdBy: by, updatedBy: by },
    spec: {
      pipeline: id,
      number,
      parameters: { ...spec.parameters, ...parameters },
      version,
      noCache,
      trigger,
      template: spec,
    },
    status: { ...freshRun(at), steps: [], gates: [] },
  };
}

function withRun(pipeline: Pipeline, { spec: { number, trigger } }: PipelineRun): Pipeline | undefined {
  const { status } = pipeline;
  if (status.lastRun >= number) return undefined;
  const positions = trigger.position === undefined ? {} : { [trigger.type]: trigger.position };
  return { ...pipeline, status: { ...status, lastRun: number, positions: { ...status.positions, ...positions } } };
}

function unlessTaken(err: unknown): undefined {
  if (err instanceof SlipwayError && err.code === 'already_exists') return undefined;
  throw err;
}
