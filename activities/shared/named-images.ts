import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { InferenceService } from '../../lifecycle/kinds/inference-service.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { DeploymentRevisions } from '../../lifecycle/stores/deployment-revisions.js';
import { fullImageReference, parseImageReference } from '../../platform/engines/image-reference.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface NamedImagesDeps {
  deployments: Pick<ResourceStore<Deployment>, 'list'>;
  packagings: Pick<ResourceStore<Packaging>, 'list'>;
  inferenceServices: Pick<ResourceStore<InferenceService>, 'list'>;
  revisions: Pick<DeploymentRevisions, 'list'>;
}

/**
 * The images that resources name and must not lose: full names with tags and with digests, and ids of the engine. Those of a
 * deployment are of every revision that it can go back to.
 */
export async function namedImages(deps: NamedImagesDeps): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const add = (image: string | undefined, digest?: string, imageId?: string): void => {
    if (image !== undefined) named.add(fullImageReference(image));
    if (image !== undefined && digest !== undefined) named.add(`${parseImageReference(image).name}@${digest}`);
    if (imageId !== undefined) named.add(imageId);
  };
  for (const { uid, spec, status, serving } of await deps.deployments.list()) {
    add(spec.image, status.imageDigest, status.imageId);
    add(serving?.image, serving?.imageDigest, serving?.imageId);
    for (const { image, imageDigest, imageId } of await deps.revisions.list(uid)) add(image, imageDigest, imageId);
  }
  for (const { status } of await deps.packagings.list()) {
    const valueOf = (result: string) => status.results.find((each) => each.name === result)?.value;
    add(valueOf('image'), valueOf('imageDigest'), status.imageId);
  }
  for (const { spec } of await deps.inferenceServices.list()) add(spec.image);
  return named;
}
