import type { PipelineActivities } from '../../activities/pipeline/pipeline.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { PACKAGING, TRAINING } from '../../test/workflows/fakes.js';

const nothing = async (): Promise<void> => {};
const child = async ({ id }: RunRef) => ({ child: { id, uid: 'uid', generation: 1 } });

const PIPELINE: Partial<PipelineActivities> = {
  claimPipelineRun: async ({ id }) => ({
    ...{ pipeline: id, number: 1, trigger: 'api', modelName: 'wine', packaging: true, deployment: true },
    gates: { metrics: true, heldOut: true },
    notify: { succeeded: [], failed: [], waiting: [] },
  }),
  resolvePipelineSource: async () => 'c0ffee',
  preparePipelineTraining: child,
  concludePipelineTraining: nothing,
  checkPipelineMetrics: async () => [],
  preparePipelinePackaging: child,
  concludePipelinePackaging: nothing,
  checkPipelineHeldOut: async () => [],
  applyPipelineDeployment: async (ref) => ref,
  awaitPipelineDeployment: nothing,
  recordPipelineSucceeded: nothing,
};

/** Every activity of a run and its children, none of which does anything. */
export const NO_OP = { ...TRAINING, ...PACKAGING, ...PIPELINE };
