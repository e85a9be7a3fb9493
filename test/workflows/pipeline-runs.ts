import type { PipelineActivities, PipelinePlan } from '../../activities/pipeline/pipeline.js';
import type { Approval, PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { createApprovals } from '../../workers/compose/approvals.js';
import { type Calls, noting, PACKAGING, PIPELINE, PLAN, TRAINING } from './fakes.js';
import { eventually, newRef, type TestNamespace } from './namespace.js';

type Changes = Partial<PipelineActivities> & Partial<typeof TRAINING> & Partial<typeof PACKAGING>;

export interface PipelineRunScene {
  calls: Calls;
  ref: RunRef;
  called: (call: string) => Promise<unknown>;
  /** How the run ends: `undefined`, or why it failed. */
  outcome: () => Promise<unknown>;
  status: (kind?: 'pipeline' | 'training' | 'packaging') => Promise<string>;
  /** A decision as the API brings it. */
  decide: (decision: Approval['decision'], key?: string, generation?: number) => Promise<void>;
}

/** One run of a pipeline, with its children, on a worker whose activities differ from the fakes by `changes`. */
export async function withPipelineRun(
  namespace: TestNamespace,
  changes: Changes,
  act: (scene: PipelineRunScene) => Promise<void>,
  ref = newRef(),
): Promise<void> {
  const calls: Calls = [];
  const approvals = createApprovals({ client: namespace.client });
  const scene: PipelineRunScene = {
    ...{ calls, ref },
    called: (call) => eventually(() => calls.includes(call)),
    outcome: () =>
      namespace
        .handle('pipeline', ref.id)
        .result()
        .then(
          () => undefined,
          (err: unknown) => err,
        ),
    status: async (kind = 'pipeline') => (await namespace.handle(kind, ref.id).describe()).status.name,
    decide: (decision, key = `${decision} by ann`, generation = ref.generation) =>
      approvals.decide(
        { ...ref, generation, status: { state: 'running' } } as PipelineRun,
        { decision, by: 'ann', at: '2026-03-01T00:00:00.000Z', reason: 'because' },
        key,
      ),
  };
  await namespace.withActivities(noting(calls, { ...TRAINING, ...PACKAGING, ...PIPELINE, ...changes }), () =>
    act(scene),
  );
}

/** Steps of a run, by their activities. */
export const STEPS = [
  'resolvePipelineSource',
  'preparePipelineTraining',
  'concludePipelineTraining',
  'checkPipelineMetrics',
  'preparePipelinePackaging',
  'concludePipelinePackaging',
  'applyPipelineDeployment',
  'awaitPipelineDeployment',
] as const;

/** The activities that undo a run, in order of names: the two run side by side. */
export const UNDO = ['cancelPipelineChildren 1', 'restorePipelineDeployment 1'];

/** Names of activities without the children's own. */
export const ownCalls = (calls: Calls): Calls => calls.filter((call) => /Pipeline/.test(call));

/** A pipeline whose image answers held-out samples. */
export const HELD_OUT: PipelinePlan = { ...PLAN, gates: { metrics: false, heldOut: true } };

/** A pipeline with two gates, and a plan with addresses as 0.1.0 wrote it. */
export const NOTIFYING: Pick<PipelineActivities, 'claimPipelineRun'> = {
  claimPipelineRun: async () => ({
    ...PLAN,
    gates: { metrics: false, heldOut: true, approvalSeconds: 60 },
    notify: { waiting: [0], succeeded: [0, 1], failed: [1] },
  }),
};

/** A pipeline that asks for an approval, and waits so long. */
export const asking = (approvalSeconds = 60): Pick<PipelineActivities, 'claimPipelineRun'> => ({
  claimPipelineRun: async () => ({ ...PLAN, gates: { ...PLAN.gates, approvalSeconds } }),
});
