import { cancellationSignal, Context, heartbeat } from '@temporalio/activity';
import type { Handle } from '../../platform/engines/driver.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import { revisionStep } from '../../lifecycle/kinds/lineage-steps.js';
import type { Failure } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { RolloutSpec } from '../../lifecycle/kinds/rollout.js';
import { whileBeating } from '../shared/heartbeat.js';
import type { DeploymentDeps } from './deployment-deps.js';
import { createDeploymentStatus, type DeploymentKey } from './deployment-status.js';
import { epochOfAttempt, publishEndpoint, replicasIn } from './endpoint-publication.js';
import { createGuard } from './guard.js';
import { createGatewayWait } from './gateway-wait.js';
import { requireSameColumns } from './input-columns.js';
import { toKept } from './kept-revision.js';
import { awaitReplicas } from './readiness.js';
import { type NoteMessage, withPatience } from '../shared/patience.js';
import { readInfo, startReplica } from './replica.js';
import { resolveRevision } from './revision.js';
import { currentResource, isCurrent } from '../shared/status.js';
import { createServing } from './serving.js';

/** The desired state of a deployment. */
export interface Wanted {
  generation: number;
  /** Marked for deletion, removed, or replaced by another resource of the id. */
  deleted: boolean;
  /** The revision that an earlier run of the workflow left serving. */
  serving?: Revision;
  /** How this generation takes over from the one that serves; absent: at once. */
  rollout?: RolloutSpec;
  /** For how long the revision before is kept, to take the calls back; absent: not at all. */
  guardSeconds?: number;
}

/** Longer than any call: an image that takes longer than 600 s is not waited for. */
const LONGEST_CALL_MS = 610_000;

const SUSPENDED = 'suspended: calls are refused until it is resumed';

/** A suspended revision answers no call: there is nothing to divide. */
const isAtOnce = ({ generation, serving, spec, atOnce }: Deployment): boolean =>
  atOnce === generation || spec.suspended || serving?.suspended === true;

const rolloutOf = (resource: Deployment): RolloutSpec | undefined =>
  isAtOnce(resource) || !resource.spec.rollout?.steps.length ? undefined : resource.spec.rollout;

export type DeploymentActivities = ReturnType<typeof createDeploymentActivities>;

/** Effects of a deployment, each of them repeatable; the workflow decides their order. */
export function createDeploymentActivities(deps: DeploymentDeps) {
  const { deployments, endpoints, engine, guardSeconds = 0, now = () => new Date() } = deps;
  const beat = (): void => heartbeat();
  const serve = createServing(deps);
  const { record, recordServing } = createDeploymentStatus({ deployments, now });

  const untilDrained = createGatewayWait(deps);

  /** A generation takes over all calls at once: it starts with as many replicas as the one before has. */
  async function sized(revision: Revision): Promise<Revision> {
    const { ref, scale, suspended } = revision;
    if (scale === undefined || suspended) return revision;
    const serving = (await endpoints.get(ref.id))?.replicas.length ?? 0;
    return { ...revision, replicas: Math.max(revision.replicas, Math.min(scale.max, serving)) };
  }

  /** Compares the columns of a candidate that is to be rolled out with those of the revision that serves. */
  async function checkColumns(resource: Deployment, revision: Revision, [first]: Replica[]): Promise<void> {
    const stable = await endpoints.get(resource.id);
    const isCandidate = stable?.uid === resource.uid && stable.generation !== resource.generation;
    const rollout = rolloutOf(resource);
    if (!isCandidate || !first || !rollout || rollout.allowSchemaChange) return;
    requireSameColumns(stable.info, await readInfo(revision, first, cancellationSignal()));
  }

  return {
    async readDeployment({ id, uid }: DeploymentKey): Promise<Wanted> {
      const resource = await deployments.get(id);
      const deleted = resource?.uid !== uid || resource.deletionMark === true;
      if (deleted) return { generation: resource?.generation ?? 0, deleted };
      const { generation, serving } = resource;
      const rollout = rolloutOf(resource);
      const how = rollout ? { rollout } : !isAtOnce(resource) && guardSeconds > 0 ? { guardSeconds } : {};
      return { generation, deleted, serving, ...how };
    },

    /** Pulls the image, starts its replicas and waits for them. @throws run_failed: ImagePullFailed, ImageRefused, CrashLoop, ProbeFailed */
    async startRevision(ref: RunRef): Promise<Revision> {
      const resource = await currentResource(deployments, ref);
      return whileBeating(async () => {
        const note: NoteMessage = (message) => record(ref, { message });
        const resolved = await withPatience(note, () => resolveRevision(deps, resource, cancellationSignal()));
        const revision = await sized(resolved);
        for (let index = 0; index < revision.replicas; index += 1) await startReplica(engine, revision, index);
        await record(ref, { replicas: revision.replicas });
        const signal = cancellationSignal();
        const replicas = await awaitReplicas(engine, revision, { readySeconds: deps.readySeconds, signal, beat });
        await checkColumns(resource, revision, replicas);
        return revision;
      });
    },

    /**
     * Sends traffic to replicas that are ready; those of `former` stay in the route without calls.
     * @throws run_failed: CrashLoop, ProbeFailed
     */
    publishRevision: (revision: Revision, former?: Revision): Promise<void> =>
      whileBeating(async () => {
        const wait = { readySeconds: deps.readySeconds, signal: cancellationSignal(), beat };
        const replicas = await awaitReplicas(engine, revision, wait);
        await publishEndpoint(endpoints, {
          ...{ revision, replicas, route: { epoch: epochOfAttempt() }, signal: cancellationSignal() },
          candidate: former && {
            ...{ revision: former, replicas: replicasIn(await endpoints.get(revision.ref.id), former) },
            weight: 0,
          },
          ...(revision.suspended && { rest: 'suspended' as const }),
        });
        await recordServing(revision.ref, revision);
        const resource = await deployments.get(revision.ref.id);
        if (isCurrent(resource, revision.ref) && resource)
          await deps.revisions.keep(revision.ref.uid, toKept(resource, revision, now().toISOString()));
        await deps.lineage.keep(revisionStep(revision, now().toISOString()));
        const { modelName, modelVersion, imageDigest, imageId, warning } = revision;
        const available = { replicas: revision.replicas, availableReplicas: replicas.length };
        await record(revision.ref, {
          state: 'Ready',
          ...available,
          modelName,
          modelVersion,
          imageDigest,
          imageId,
          warning,
          reason: undefined,
          message: revision.suspended ? SUSPENDED : undefined,
        });
      }),

    /** Watches over the replicas until it is canceled. @throws run_failed, CrashLoop */
    superviseRevision: (revision: Revision): Promise<void> => serve({ revision }),

    guardRevision: createGuard({ ...deps, serve }),

    async recordDeploymentFailed({ ref, failure }: { ref: RunRef; failure: Failure }): Promise<void> {
      // An earlier generation may serve on.
      const availableReplicas = (await endpoints.get(ref.id))?.replicas.length ?? 0;
      await record(ref, { state: 'Failed', availableReplicas, reason: failure.reason, message: failure.message });
    },

    /**
     * Stops and removes the replicas of every generation but `keep` and `former`, once no gateway sends requests there any more; their
     * server drains first.
     */
    async retireReplicas({ id, uid, keep, former }: DeploymentKey & { keep?: number; former?: number }): Promise<void> {
      const found = await engine.find({ kind: 'deployment', id, uid });
      const old = found.filter(({ labels }) => ![keep, former].map(String).includes(labels.generation ?? ''));
      if (keep !== undefined && old.length > 0) {
        const names = old.map(({ name }) => name);
        await whileBeating(() => untilDrained(id, names, LONGEST_CALL_MS));
      }
      const retire = async (handle: Handle): Promise<void> => {
        await engine.stop(handle, 10_000);
        await engine.remove(handle);
      };
      // An engine that cannot remove a container must not keep a canceled step from ending.
      const retired = () => Promise.race([Promise.allSettled(old.map(retire)), Context.current().cancelled]);
      const ends = await whileBeating(retired);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },

    async withdrawEndpoint({ id, uid }: DeploymentKey): Promise<void> {
      // Also where there is no route: an attempt that lives on must not make one.
      const current = await endpoints.get(id);
      if (current === undefined || current.uid === uid) await endpoints.withdraw({ id, uid }, epochOfAttempt());
      await recordServing({ id, uid }, undefined);
    },

    async removeDeployment({ id, uid }: DeploymentKey): Promise<void> {
      await deployments.remove(id, (current) => current.uid === uid);
      await deps.revisions.remove(uid);
    },
  };
}
