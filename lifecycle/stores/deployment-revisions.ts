import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { DeploymentSpec } from '../kinds/deployment.js';
import type { Revision } from '../kinds/revision.js';

/** A revision that had all the traffic of a deployment. */
export interface KeptRevision extends Pick<
  Revision,
  'image' | 'imageDigest' | 'imageId' | 'modelName' | 'modelVersion'
> {
  generation: number;
  /** Since when; RFC 3339 UTC. */
  at: string;
  updatedBy: string;
  spec: DeploymentSpec;
}

interface RevisionsRow extends Row {
  /** The newest one first. */
  revisions: KeptRevision[];
}

const MOST = 20;

export type DeploymentRevisions = ReturnType<typeof createDeploymentRevisions>;

/** The last revisions of each deployment, by its uid. One row, which only the workflow of the deployment writes. */
export function createDeploymentRevisions({ database }: { database: Database }) {
  const table = database.table<RevisionsRow>(collections.deploymentRevisions);
  const list = async (uid: string): Promise<KeptRevision[]> => (await table.get(uid))?.revisions ?? [];

  return {
    list,

    /** Keeps a revision; one that is known stays as it is. */
    async keep(uid: string, revision: KeptRevision): Promise<void> {
      const known = await list(uid);
      if (known.some(({ generation }) => generation === revision.generation)) return;
      const revisions = [revision, ...known].sort((one, other) => other.generation - one.generation).slice(0, MOST);
      await table.put({ _id: uid, revisions });
    },

    remove: (uid: string): Promise<void> => table.remove(uid),
  };
}
