import { AT, startStory } from '../api/lifecycle/lineage-story.js';
import type { TestApi } from '../api/test-api.js';
import { PipelineSpec } from '../../lifecycle/kinds/pipeline.js';
import type { PipelineRun, PipelineRunStatus } from '../../lifecycle/kinds/pipeline-run.js';
import { newPipeline } from '../activities/shared/resources.js';

const startedAt = new Date(AT).toISOString();
const WAITING: Partial<PipelineRunStatus> = {
  ...{ state: 'running', startedAt, finishedAt: undefined },
  gates: [{ gate: 'metrics', passed: true, message: 'rmse is 0.7, at most 0.8' }],
  steps: [
    { name: 'training', state: 'succeeded', startedAt, child: 'training/wine' },
    { name: 'approval', state: 'waiting', startedAt },
  ],
};
const FAILED: Partial<PipelineRunStatus> = {
  ...{ state: 'failed', reason: 'ToolchainFailed', message: '<img src=x onerror=alert(1)>' },
  steps: [{ name: 'training', state: 'failed', startedAt, child: 'training/wine' }],
};

/** Three runs: one that failed, one that every data scientist may decide, and one for release managers. */
export async function insertPipelineRuns({ pipelines, pipelineRuns, approvals }: TestApi): Promise<void> {
  const insert = async (name: string, changes: Partial<PipelineRunStatus>[], roles: string[] = []) => {
    for (const [at, status] of changes.entries()) {
      const { run } = startStory(name)(at + 1);
      const template = PipelineSpec.parse({ gates: { approval: { required: true, roles } } });
      const changed: PipelineRun = { ...run, spec: { ...run.spec, template }, status: { ...run.status, ...status } };
      await pipelineRuns.insert(changed);
    }
    await pipelines.insert({ ...newPipeline(name), status: { lastRun: changes.length, positions: {} } });
  };
  await insert('wine', [FAILED, WAITING]);
  await insert('beer', [WAITING], ['release-managers']);
  // As the workflow of the run keeps it.
  approvals.decide = async ({ id }, approval) => {
    await pipelineRuns.update(id, (run) => {
      const steps = run.status.steps.map((step) => ({ ...step, state: 'succeeded' as const }));
      return { ...run, status: { ...run.status, approval, steps } };
    });
  };
}
