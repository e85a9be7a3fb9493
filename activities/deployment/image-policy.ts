import type { KeyObject } from 'node:crypto';
import { verifyImage } from '../../lifecycle/attestation/verification.js';
import type { ImagePolicy } from '../../lifecycle/kinds/image-policy.js';
import { type AttestedRepository, readBundles } from '../../platform/attestation/read.js';
import { failureIn, runFailed } from '../../platform/kinds/reasons.js';

export interface ImageToCheck {
  image: string;
  /** Absent for an image that is in no registry. */
  manifest?: { digest: string; repository: AttestedRepository };
  policy: ImagePolicy;
  /** Public keys whose statements are trusted. */
  keys: () => Promise<readonly KeyObject[]>;
}

/**
 * Checks the origin of an image before a replica of it starts.
 * @returns a warning for an image that the policy admits although its origin is not known
 * @throws run_failed, reason ImageRefused; unavailable while the registry cannot be used
 */
export async function checkImagePolicy(check: ImageToCheck): Promise<string | undefined> {
  const { image, policy } = check;
  if (policy === 'any') return undefined;
  const why = await doubtOf(check);
  if (why === undefined) return undefined;
  const about = `image "${image}" is not trusted: ${why}`;
  if (policy === 'warn') return about;
  const remedy = 'package the model on this installation, or set imagePolicy to "warn" or "any" where that is allowed';
  throw runFailed({ reason: 'ImageRefused', message: `${about}; ${remedy}` });
}

/** Why the origin of an image is not known; `undefined` when it is. */
async function doubtOf({ manifest, keys }: ImageToCheck): Promise<string | undefined> {
  if (manifest === undefined) return 'it is in no registry, so nothing says where it is from';
  const { digest, repository } = manifest;
  try {
    const found = verifyImage(digest, await readBundles(repository, digest), await keys());
    return found.verified ? undefined : found.why;
  } catch (err) {
    // A registry that refuses to list statements, for good: that is no reason to start what must be signed.
    if (failureIn(err) === undefined) throw err;
    return `its statements cannot be read: ${err instanceof Error ? err.message : String(err)}`;
  }
}
