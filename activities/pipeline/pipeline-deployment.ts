import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { acceptDeployment } from '../../lifecycle/validation/deployment-validation.js';
import { type Deployment, type DeploymentSpec, freshDeployment } from '../../lifecycle/kinds/deployment.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson, runAgain, toRef } from '../../platform/kinds/generation.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { deploymentHolding } from '../../lifecycle/stores/holdings.js';
import { type PipelineQuotaDeps, withinQuota } from './pipeline-quota.js';
import { endedBadly } from '../shared/failures.js';
import { fillIn, noteStep, rendererOf } from './pipeline-steps.js';
import { currentResource, stale } from '../shared/status.js';

export interface PipelineDeploymentDeps extends PipelineQuotaDeps {
  pipelineRuns: ResourceStore<PipelineRun>;
  deployments: ResourceStore<Deployment>;
  runs: Runs;
  validationContext: ValidationContext;
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
      const run = await currentResource(pipelineRuns, ref);
      const rendered = await fillIn(() => deploymentOf(deps, run));
      for (;;) {
        const before = await deployments.get(rendered.id);
        const wanted = { ...rendered, spec: withProtection(run, before, rendered.spec) };
        if (before?.deletionMark) {
          throw runFailed({ reason: 'Conflict', message: `deployment ${wanted.id} is being deleted` });
        }
        const deployed = deployedBy(run, before, wanted.spec);
        // Noted before the change, so that whoever undoes it knows which generation is ours and what served before.
        const step = { state: 'running', child: `deployment/${wanted.id}` } as const;
        const { status } = await noteStep(deps, ref, 'deployment', step, { deployed });
        if (isFinal(status.state)) throw stale(ref);
        const createdBy = before?.createdBy ?? run.createdBy;
        const entity = await withinQuota(deps, run, {
          wanted: deploymentHolding({ kind: 'ModelDeployment', ...wanted, createdBy }),
          work: () => put(before, deployed.generation, wanted, run),
        });
        if (entity === undefined) continue; // lost race: another caller removed it
        await runs.changed('deployment', entity);
        return toRef(entity);
      }
    },

    /** Waits until the new revision serves. @throws run_failed with the deployment's reason; Conflict */
    async awaitPipelineDeployment({ ref, target }: { ref: RunRef; target: RunRef }): Promise<void> {
      for (;;) {
        heartbeat();
        const current = await deployments.get(target.id);
        if (current?.uid !== target.uid || current.generation !== target.generation || current.deletionMark) {
          const message = `deployment ${target.id} was changed or removed while the new revision started`;
          throw endedBadly({ reason: 'Conflict', message });
        }
        const { state, reason = 'Internal', message = 'it has no sentence' } = current.status;
        if (state === 'Ready') break;
        const how = reason === 'RolledBack' ? 'was rolled back' : 'failed';
        if (state === 'Failed') throw endedBadly({ reason, message: `deployment ${target.id} ${how}: ${message}` });
        await sleep(pollMs, undefined, { signal: cancellationSignal() });
      }
      await noteStep(deps, ref, 'deployment', { state: 'succeeded' });
    },

    /** Restores the former spec of the deployment, unless it was changed since or the run has ended. */
    async restorePipelineDeployment(ref: RunRef): Promise<void> {
      const run = await currentResource(pipelineRuns, ref);
      const { status, spec } = run;
      const { deployed } = status;
      // A worker of an earlier release deployed the tag.
      const images = [pinnedImage(run), status.image];
      if (isFinal(status.state) || spec.template.onFailure !== 'restore') return;
      if (deployed?.previous === undefined) return;
      const { previous } = deployed;
      if ((await deployments.get(deployed.id)) === undefined) return;
      const restored = await deployments.update(deployed.id, (current) => {
        const isOurs = current.generation === deployed.generation && images.includes(current.spec.image);
        const back = { ...changed(current, previous), atOnce: current.generation + 1 };
        return isOurs && !current.deletionMark ? back : undefined;
      });
      // Signaled again when an earlier attempt restored it and was killed.
      if (isSameJson(restored.spec, previous)) await runs.changed('deployment', restored);
    },
  };

  /** @returns undefined when it is not what was found before */
  async function put(
    before: Deployment | undefined,
    generation: number,
    wanted: { id: string; spec: DeploymentSpec },
    run: PipelineRun,
  ): Promise<Deployment | undefined> {
    try {
      if (before === undefined) return await deployments.insert(first(wanted, run));
      if (before.generation === generation) return before;
      const after = await deployments.update(wanted.id, (current) =>
        current.uid === before.uid && current.generation === before.generation && !current.deletionMark
          ? changed(current, wanted.spec)
          : undefined,
      );
      return after.uid === before.uid && after.generation === generation && isSameJson(after.spec, wanted.spec)
        ? after
        : undefined;
    } catch (err) {
      if (err instanceof SlipwayError && (err.code === 'already_exists' || err.code === 'not_found')) return undefined;
      throw err;
    }
  }

  function changed(current: Deployment, spec: DeploymentSpec): Deployment {
    return { ...runAgain(current, freshDeployment(now(), current.id)), spec, updatedAt: now().toISOString() };
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

async function deploymentOf({ validationContext }: PipelineDeploymentDeps, run: PipelineRun) {
  const { id, spec } = run.spec.template.deployment;
  const rendered = rendererOf(run).render(spec);
  return acceptDeployment({ id, spec: { ...rendered, image: pinnedImage(run) } }, validationContext);
}

/** The very image that the gates saw: its tag may lead to another one when an approval comes late. */
const pinnedImage = ({ status: { image, imageDigest } }: PipelineRun) =>
  image === undefined || imageDigest === undefined ? image : `${image}@${imageDigest}`;

/**
 * Keeps the protection that a deployment has; a template that protects gives it to the pipeline of the run.
 * @throws run_failed, reason Protected
 */
function withProtection(run: PipelineRun, before: Deployment | undefined, spec: DeploymentSpec): DeploymentSpec {
  const { pipeline } = run.spec;
  if (before?.spec.protected) {
    const owner = before.spec.pipeline;
    if (owner === pipeline) return { ...spec, protected: true, pipeline };
    const way = owner === undefined ? 'no run changes it' : `only runs of pipeline "${owner}" change it`;
    const message = `deployment ${before.id} is protected: ${way}; an admin can set its "pipeline" to "${pipeline}"`;
    throw runFailed({ reason: 'Protected', message });
  }
  return spec.protected ? { ...spec, pipeline: spec.pipeline ?? pipeline } : spec;
}

/** Which generation a run makes of a deployment, and the spec that comes back when it fails. */
function deployedBy(run: PipelineRun, before: Deployment | undefined, spec: DeploymentSpec) {
  const { deployed: noted } = run.status;
  if (before === undefined) return { id: run.spec.template.deployment.id, generation: 1 };
  const { id, generation } = before;
  if (!isSameJson(before.spec, spec)) return { id, generation: generation + 1, previous: before.spec };
  // The change of an earlier attempt, which knows what was there before it.
  if (noted?.generation === generation) return noted;
  return { id, generation: before.status.state === 'Failed' ? generation + 1 : generation };
}
