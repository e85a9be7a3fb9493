import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { acceptDeployment } from '../resources/deployment-validation.js';
import { type Deployment, type DeploymentSpec, freshDeployment } from '../resources/deployment.js';
import { isSameJson, runAgain, toRef } from '../resources/generation.js';
import type { RunRef } from '../resources/ids.js';
import type { PipelineRun } from '../resources/pipeline-run.js';
import { runFailed } from '../resources/reasons.js';
import type { Runs } from '../resources/runs.js';
import type { Judging } from '../resources/validation.js';
import type { EntityStore } from '../stores/entities.js';
import { fillIn, noteStep, rendererOf } from './pipeline-steps.js';
import { currentEntity } from './status.js';

export interface PipelineDeploymentDeps {
  pipelineRuns: EntityStore<PipelineRun>;
  deployments: EntityStore<Deployment>;
  runs: Runs;
  judging: Judging;
  newId: () => string;
  /** Between two looks at the deployment. */
  pollMs?: number;
  now?: () => Date;
}

/** The last step of a pipeline's run: the named deployment gets the image; what serves goes on until it is ready. */
export function createPipelineDeploymentActivities(deps: PipelineDeploymentDeps) {
  const { pipelineRuns, deployments, runs, pollMs = 250, now = () => new Date() } = deps;

  return {
    /** Stores the deployment with the new image and tells its workflow. @throws run_failed, reason Conflict */
    async applyPipelineDeployment(ref: RunRef): Promise<RunRef> {
      const run = await currentEntity(pipelineRuns, ref);
      const wanted = await fillIn(() => deploymentOf(deps, run));
      const before = await deployments.get(wanted.id);
      if (before?.deletionMark) {
        throw runFailed({ reason: 'Conflict', message: `deployment ${wanted.id} is being deleted` });
      }
      // Noted before the change, so that a repeat still knows what served; by then the spec is the new one already.
      const isRepeat = before !== undefined && isSameJson(before.spec, wanted.spec);
      const previous = before && !isRepeat ? { previous: before.spec } : {};
      const deployed = { ...run.status.deployed, ...previous, id: wanted.id, generation: 0 };
      await noteStep(deps, ref, 'deployment', { state: 'running', child: `deployment/${wanted.id}` }, { deployed });
      const entity = before ? await change(wanted) : await deployments.insert(first(wanted, run));
      const { generation } = entity;
      await noteStep(deps, ref, 'deployment', {}, { deployed: { ...deployed, generation } });
      await runs.changed('deployment', toRef(entity));
      return toRef(entity);
    },

    /** Waits until the new revision serves. @throws run_failed with the deployment's reason; Conflict */
    async awaitPipelineDeployment({ ref, target }: { ref: RunRef; target: RunRef }): Promise<void> {
      for (;;) {
        heartbeat();
        const current = await deployments.get(target.id);
        if (current?.uid !== target.uid || current.generation !== target.generation || current.deletionMark) {
          const message = `deployment ${target.id} was changed or removed while the new revision started`;
          throw runFailed({ reason: 'Conflict', message });
        }
        const { state, reason = 'Internal', message = 'it has no sentence' } = current.status;
        if (state === 'Ready') break;
        if (state === 'Failed') throw runFailed({ reason, message: `deployment ${target.id} failed: ${message}` });
        await sleep(pollMs, undefined, { signal: cancellationSignal() });
      }
      await noteStep(deps, ref, 'deployment', { state: 'succeeded' });
    },

    /** Gives the deployment its former spec back, unless somebody changed it since. */
    async restorePipelineDeployment(ref: RunRef): Promise<void> {
      const { status, spec } = await currentEntity(pipelineRuns, ref);
      const { deployed } = status;
      if (deployed?.previous === undefined || spec.template.onFailure !== 'restore') return;
      const { previous, id, generation } = deployed;
      const current = await deployments.get(id);
      if (current?.generation !== generation || current.deletionMark) return;
      await runs.changed('deployment', toRef(await change({ id, spec: previous })));
    },
  };

  function change({ id, spec }: { id: string; spec: DeploymentSpec }): Promise<Deployment> {
    return deployments.update(id, (current) =>
      isSameJson(current.spec, spec) && current.status.state !== 'Failed'
        ? undefined
        : { ...runAgain(current, freshDeployment(now(), id)), spec, updatedAt: now().toISOString() },
    );
  }

  function first(
    { id, spec }: { id: string; spec: DeploymentSpec },
    { createdBy, updatedBy }: PipelineRun,
  ): Deployment {
    const at = now().toISOString();
    return {
      ...{ kind: 'ModelDeployment', id, uid: deps.newId(), generation: 1, revision: 1 },
      ...{ spec, status: freshDeployment(now(), id), createdAt: at, updatedAt: at, createdBy, updatedBy },
    };
  }
}

async function deploymentOf({ judging }: PipelineDeploymentDeps, run: PipelineRun) {
  const { id, spec } = run.spec.template.deployment;
  const rendered = rendererOf(run).render(spec);
  return acceptDeployment({ id, spec: { ...rendered, image: run.status.image } }, judging);
}
