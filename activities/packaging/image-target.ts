import { fullImageName } from '../../lifecycle/kinds/image-name.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Repository } from '../../platform/registry/repository.js';
import { isPlatformRepository, type OpenedRepository, openPlatformRepository } from '../shared/platform-repository.js';
import type { ImageAssembly, ImageAssemblyDeps } from './image-request.js';

/** Where a new image goes. */
export interface ImageTarget {
  /** Full name with tag. */
  name: string;
  repository: Repository;
  /** The repository that keeps environments. */
  environments: Repository;
}

/**
 * Names an image by the template of a packaging and opens its repository.
 * @throws run_failed, PackagerFailed, for a name that cannot be
 */
export async function openImageTarget(
  deps: ImageAssemblyDeps,
  assembly: ImageAssembly,
  { template, model }: { template: string; model: { name: string; version: string } },
): Promise<ImageTarget> {
  const { push, step } = assembly;
  const { signal } = step;
  const name = 'image' in assembly ? assembly.image : imageName(template, model, assembly);
  const environments = await openPlatformRepository(deps, 'environments', { signal, reason: 'PushFailed' });
  requireOwnName(name, environments);
  const auth = await deps.registryAuth(name, push, { reason: 'PushFailed', push: true });
  const repository = deps.registries.open(name, { auth, signal, reason: 'PushFailed' });
  return { name, repository, environments: environments.repository };
}

function imageName(
  template: string,
  { name, version }: { name: string; version: string },
  { push, uuid }: Extract<ImageAssembly, { uuid: string }>,
): string {
  try {
    return fullImageName(template, { Name: name, Version: version, RandomUUID: uuid }, push.spec.uri);
  } catch (err) {
    throw runFailed({ reason: 'PackagerFailed', message: err instanceof Error ? err.message : String(err) }, err);
  }
}

/** An image in place of an environment would be below the models of others. */
function requireOwnName(image: string, environments: OpenedRepository): void {
  const { name } = parseImageReference(image);
  if (!isPlatformRepository(name, environments)) return;
  const message = `image name "${image}" is not allowed: the platform keeps images of its own in ${name}; choose another imageName`;
  throw runFailed({ reason: 'PackagerFailed', message });
}
