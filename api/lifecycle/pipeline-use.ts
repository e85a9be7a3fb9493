import { SlipwayError } from '../../platform/kinds/errors.js';
import { namesOfPipeline, namesOfRun, type PipelineNames } from '../../lifecycle/kinds/pipeline-names.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface PipelineUseDeps {
  pipelines: ResourceStore<Pipeline>;
  pipelineRuns: ResourceStore<PipelineRun>;
}

/** Pipelines, whose next run would fail, and runs that go on, as `KIND id`. */
export async function findPipelineUsers(
  { pipelines, pipelineRuns }: PipelineUseDeps,
  needs: (names: PipelineNames) => boolean,
): Promise<string[]> {
  const [all, runs] = await Promise.all([pipelines.list(), pipelineRuns.list()]);
  const users = [
    ...all.filter((pipeline) => needs(namesOfPipeline(pipeline))),
    ...runs.filter((run) => !isFinal(run.status.state) && needs(namesOfRun(run))),
  ];
  return users.map(({ kind, id }) => `${kind} ${id}`);
}

/** @throws in_use */
export async function refuseUsedByPipelines(
  deps: PipelineUseDeps,
  what: string,
  needs: (names: PipelineNames) => boolean,
): Promise<void> {
  const users = await findPipelineUsers(deps, needs);
  if (users.length > 0) throw new SlipwayError('in_use', `${what} is in use by ${users.join(', ')}`);
}
