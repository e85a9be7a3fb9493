import type { RunRef } from '../resources/ids.js';
import type { PipelineRun, PipelineRunStatus, PipelineStep, PipelineStepName } from '../resources/pipeline-run.js';
import { SlipwayError } from '../resources/errors.js';
import { createRenderer, TemplateProblem } from '../resources/pipeline-template.js';
import { runFailed } from '../resources/reasons.js';
import type { EntityStore } from '../stores/entities.js';
import { note } from './status.js';

export interface PipelineStepDeps {
  pipelineRuns: EntityStore<PipelineRun>;
  now?: () => Date;
}

/** Writes what a step has come to, and what the run knows with it. A final state of a step gets its time. */
export async function noteStep(
  { pipelineRuns, now = () => new Date() }: PipelineStepDeps,
  ref: RunRef,
  name: PipelineStepName,
  patch: Partial<PipelineStep>,
  facts: Partial<PipelineRunStatus> = {},
): Promise<PipelineRun> {
  const at = now().toISOString();
  return note<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, (status) => {
    const before = status.steps.find((step) => step.name === name) ?? { name, state: 'running', startedAt: at };
    const step: PipelineStep = { ...before, ...patch };
    const ended = step.state !== 'running' && step.state !== 'waiting';
    const timed = ended ? { finishedAt: step.finishedAt ?? at } : {};
    const others = status.steps.filter((each) => each.name !== name);
    return { ...status, ...facts, steps: [...others, { ...step, ...timed }] };
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
