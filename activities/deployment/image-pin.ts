import { parseImageReference, referenceIn } from '../../platform/engines/image-reference.js';
import { isLocalImage, registryOf } from '../../platform/kinds/image-rules.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Repository } from '../../platform/registry/repository.js';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Whether an image is in no registry: the engine's own id pins it. Podman names what it built after `localhost`. */
export const isOfTheEngine = (image: string): boolean => isLocalImage(image) || registryOf(image) === 'localhost';

/**
 * The manifest digest of an image, asked of its registry once for each revision: a tag may move to another image later,
 * and an image that the engine happens to have under that name may be another one.
 * @throws run_failed, reason ImagePullFailed; unavailable while the registry cannot be used
 */
export async function imageDigest(repository: Pick<Repository, 'manifestDigest'>, image: string): Promise<string> {
  const { digest } = parseImageReference(image);
  if (digest !== undefined) return digest;
  const found = await repository.manifestDigest(referenceIn(image));
  if (found !== undefined && DIGEST.test(found)) return found;
  const why = found === undefined ? 'its registry has no such image' : 'its registry tells no digest of it';
  throw runFailed({ reason: 'ImagePullFailed', message: `image "${image}" cannot be pulled: ${why}` });
}

/** The reference by which the engine finds the very image that was resolved, whatever its tag names meanwhile. */
export const pinned = ({ image, digest, imageId }: { image: string; digest?: string; imageId?: string }): string =>
  digest === undefined ? (imageId ?? image) : `${image.replace(/@.*$/, '')}@${digest}`;
