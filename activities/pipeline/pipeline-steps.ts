import type { RunRef } from '../../platform/kinds/ids.js';
import type {
  PipelineRun,
  PipelineRunStatus,
  PipelineStep,
  PipelineStepName,
} from '../../lifecycle/kinds/pipeline-run.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createRenderer, TemplateProblem } from '../../lifecycle/kinds/pipeline-template.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { note } from '../shared/status.js';

export interface PipelineStepDeps {
  pipelineRuns: ResourceStore<PipelineRun>;
  now?: () => Date;
}

/**
 * Writes what a step has come to, and what the run knows with it. A step that begins again keeps nothing but the time of
 * its first beginning; a final state of a step gets its time.
 */
export async function noteStep(
  { pipelineRuns, now = () => new Date() }: PipelineStepDeps,
  ref: RunRef,
  name: PipelineStepName,
  patch: Partial<PipelineStep>,
  facts: Partial<PipelineRunStatus> = {},
): Promise<PipelineRun> {
  const at = now().toISOString();
  return note<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, (status) => {
    const known = status.steps.find((step) => step.name === name);
    const fresh = { name, state: 'running', startedAt: known?.startedAt ?? at } as const;
    const begins = patch.state === 'running' || patch.state === 'waiting';
    const step: PipelineStep = { ...(begins ? fresh : (known ?? fresh)), ...patch };
    if (step.state !== 'running' && step.state !== 'waiting') step.finishedAt ??= at;
    const steps = known ? status.steps.map((each) => (each === known ? step : each)) : [...status.steps, step];
    return { ...status, ...facts, steps };
  });
}

/**
 * Fills in a template and judges what comes out; what fitted when the pipeline was stored may fit no more.
 * @throws run_failed, reason SpecInvalid
 */
export async function fillIn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    const isTheirs =
      err instanceof TemplateProblem || (err instanceof SlipwayError && err.code === 'validation_failed');
    if (!isTheirs) throw err;
    throw runFailed({ reason: 'SpecInvalid', message: err.message }, err);
  }
}

/** Fills in the templates of a run whose commit is known. */
export function rendererOf({ spec, status }: PipelineRun) {
  return createRenderer({
    pipeline: spec.pipeline,
    run: String(spec.number),
    version: spec.version,
    parameters: spec.parameters,
    ...(status.commit === undefined ? {} : { commit: status.commit }),
  });
}
