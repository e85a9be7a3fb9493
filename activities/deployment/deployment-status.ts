import type { Deployment, DeploymentStatus } from '../../lifecycle/kinds/deployment.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { isCurrent } from '../shared/status.js';

/** A deployment whatever its generation. */
export type DeploymentKey = Pick<RunRef, 'id' | 'uid'>;

interface DeploymentStatusDeps {
  deployments: ResourceStore<Deployment>;
  now: () => Date;
}

/** Writes the status of deployments. A deployment that is removed or marked for deletion is left as it is. */
export function createDeploymentStatus({ deployments, now }: DeploymentStatusDeps) {
  return {
    /** Writes status facts of the resource, unless it is on its way out; `only` for the generation they speak of. */
    record: async (ref: RunRef, patch: Partial<DeploymentStatus>): Promise<void> => {
      if ((await deployments.get(ref.id)) === undefined) return;
      await deployments.update(ref.id, (current) => {
        if (!isCurrent(current, ref) || current.deletionMark) return undefined;
        const { status } = current;
        const at = now().toISOString();
        const moved = patch.state !== undefined && patch.state !== status.state;
        const transitions = moved
          ? [...status.transitions, { state: patch.state ?? status.state, at }].slice(-50)
          : status.transitions;
        return { ...current, status: { ...status, ...patch, transitions, lastUpdatedTime: at } };
      });
    },

    /** Writes which revision serves, or that none does, whatever the generation of the spec. */
    recordServing: async ({ id, uid }: DeploymentKey, serving: Revision | undefined): Promise<void> => {
      if ((await deployments.get(id)) === undefined) return;
      await deployments.update(id, (current) => {
        const known = current.serving?.ref.generation === serving?.ref.generation;
        return current.uid !== uid || current.deletionMark || known ? undefined : { ...current, serving };
      });
    },
  };
}
