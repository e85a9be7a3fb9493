import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { KeptRevision } from '../../lifecycle/stores/deployment-revisions.js';

/** What is kept of a revision, so that a deployment can go back to it. */
export function toKept({ spec, updatedBy }: Deployment, revision: Revision, at: string): KeptRevision {
  const { ref, image, imageDigest, imageId, modelName, modelVersion } = revision;
  const about = { image, imageDigest, imageId, modelName, modelVersion };
  return { generation: ref.generation, at, updatedBy, ...about, spec };
}
