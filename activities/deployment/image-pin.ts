import type { RegistryAuth } from '../../platform/engines/driver.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { outsideFailed } from '../../platform/kinds/outside-failure.js';
import { runFailed } from '../../platform/kinds/reasons.js';

/** Reads the digest that a registry has under an image's name now; `undefined` when it has none. @throws unavailable */
export type FindDigest = (manifest: {
  image: string;
  auth: RegistryAuth | undefined;
  signal: AbortSignal;
}) => Promise<string | undefined>;

/** Registries of images that exist in the store of the engine alone: those of the embedded stack, and local builds. */
const OF_THE_ENGINE: readonly string[] = ['slipway.local', 'localhost'];
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * The manifest digest of an image, asked of its registry once for each revision: a tag may move to another image later,
 * and an image that the engine happens to have under that name may be another one.
 * @returns undefined for an image that is in no registry: the engine's own id pins it
 * @throws run_failed, reason ImagePullFailed; unavailable while the registry does not answer
 */
export async function imageDigest(
  findDigest: FindDigest,
  { image, auth, signal }: Parameters<FindDigest>[0],
): Promise<string | undefined> {
  if (DIGEST.test(image)) return undefined;
  const { name, digest } = parseImageReference(image);
  if (digest !== undefined) return digest;
  if (OF_THE_ENGINE.includes(name.split('/')[0] ?? '')) return undefined;
  const found = await findDigest({ image, auth, signal }).catch((err: unknown) => {
    throw toPullFailure(err);
  });
  if (found !== undefined && DIGEST.test(found)) return found;
  const why = found === undefined ? 'its registry has no such image' : 'its registry tells no digest of it';
  throw runFailed({ reason: 'ImagePullFailed', message: `image "${image}" cannot be pulled: ${why}` });
}

function toPullFailure(err: unknown): unknown {
  if (!(err instanceof SlipwayError) || err.code !== 'unavailable') return err;
  const fault = err.publicMessage ?? 'it does not answer';
  return outsideFailed({ party: 'the image registry', said: err.message, fault, reason: 'ImagePullFailed' }, err);
}

/** The reference by which the engine finds the very image that was resolved, whatever its tag names meanwhile. */
export const pinned = ({ image, digest, imageId }: { image: string; digest?: string; imageId?: string }): string =>
  digest === undefined ? (imageId ?? image) : `${image.replace(/@.*$/, '')}@${digest}`;
