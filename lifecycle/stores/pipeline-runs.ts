import { SlipwayError, notFound } from '../../platform/kinds/errors.js';
import { type PipelineRun, pipelineRunId } from '../kinds/pipeline-run.js';
import type { Trigger } from '../kinds/pipeline-trigger.js';
import type { Pipeline, PipelineStatus } from '../kinds/pipeline.js';
import { freshRun, isFinal } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

/** The input of a run beside the pipeline. */
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
   * Makes the next run. A request whose trigger has the `key` of the newest run gets that run again, for a day.
   * @throws not_found; not_finished while a run is going on
   */
  open(pipelineId: string, request: RunRequest): Promise<PipelineRun>;
  /** The pipeline as it is with its newest run. @throws not_found */
  newest(pipelineId: string): Promise<{ pipeline: Pipeline; run?: PipelineRun }>;
  get(pipelineId: string, number: number): Promise<PipelineRun | undefined>;
}

export interface PipelineRunsOptions {
  pipelines: ResourceStore<Pipeline>;
  pipelineRuns: ResourceStore<PipelineRun>;
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
    let run = await get(pipelineId, pipeline.status.lastRun);
    let known: Known = { lastRun: pipeline.status.lastRun, positions: {} };
    // A pipeline that was removed and created again continues the numbers of its former runs.
    for (let next; (next = await get(pipelineId, known.lastRun + 1)) !== undefined; run = next) {
      known = withRun(known, next);
    }
    if (known.lastRun > pipeline.status.lastRun) {
      pipeline = await pipelines.update(pipelineId, (current) => reached(current, known));
    }
    return run === undefined ? { pipeline } : { pipeline, run };
  }

  /** A run whose pipeline was removed at the same moment is none. */
  async function withdraw({ id, uid }: PipelineRun): Promise<void> {
    await pipelineRuns.remove(id, (current) => current.uid === uid);
  }

  return {
    get,
    newest,
    async open(pipelineId, request) {
      for (;;) {
        const { pipeline, run } = await newest(pipelineId);
        const { key } = request.trigger;
        if (run && key !== undefined && run.spec.trigger.key === key && isOfToday(run, now())) return run;
        if (run && !isFinal(run.status.state)) {
          const advice = 'wait for its end or cancel it';
          throw new SlipwayError('not_finished', `run ${run.id} of the pipeline has not finished yet; ${advice}`);
        }
        const made = await pipelineRuns.insert(nextRun(pipeline, request, { now, newId })).catch(unlessTaken);
        if (made === undefined) continue;
        const known = withRun({ lastRun: 0, positions: {} }, made);
        await pipelines
          .update(pipelineId, (current) => reached(current, known))
          .catch(async (err: unknown) => {
            if (err instanceof SlipwayError && err.code === 'not_found') await withdraw(made);
            throw err;
          });
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

/** The part of a pipeline's status that follows from its runs. */
type Known = Pick<PipelineStatus, 'lastRun' | 'positions'>;

function withRun({ positions }: Known, { spec: { number, trigger } }: PipelineRun): Known {
  const own = trigger.position === undefined ? {} : { [trigger.type]: trigger.position };
  return { lastRun: number, positions: { ...positions, ...own } };
}

/** Updates the part that follows from runs; concurrent changes of the rest are kept. */
function reached(pipeline: Pipeline, { lastRun, positions }: Known): Pipeline | undefined {
  const { status } = pipeline;
  if (status.lastRun >= lastRun) return undefined;
  return { ...pipeline, status: { ...status, lastRun, positions: { ...status.positions, ...positions } } };
}

const DAY_MS = 86_400_000;
const isOfToday = ({ createdAt }: PipelineRun, now: Date): boolean => now.getTime() - Date.parse(createdAt) < DAY_MS;

function unlessTaken(err: unknown): undefined {
  if (err instanceof SlipwayError && err.code === 'already_exists') return undefined;
  throw err;
}
