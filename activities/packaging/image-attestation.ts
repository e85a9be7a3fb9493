import { attestImage } from '../../lifecycle/attestation/attest-image.js';
import type { Builder } from '../../lifecycle/attestation/provenance.js';
import type { Signer } from '../../platform/attestation/envelope.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ImageDescription } from './image-description.js';

export interface AttestationDeps {
  /** The platform's bucket. */
  objects: ObjectStore;
  attestation: {
    signer: () => Promise<Signer>;
    /** This installation. */
    builder: Builder;
  };
}

const keyOf = (digest: string): string => `attestations/${digest.replace(':', '-')}.json`;

/** Keeps the description of an image until the image has passed its check, for nothing is signed before that. */
export async function keepDescription(
  { objects }: Pick<AttestationDeps, 'objects'>,
  digest: string,
  description: ImageDescription,
): Promise<void> {
  await objects.put(keyOf(digest), JSON.stringify(description), { contentType: 'application/json' });
}

/**
 * Signs statements about an image that passed its check, and stores them beside it. Can be repeated.
 * @throws run_failed: PushFailed, PackagerFailed when the image or its description is gone
 */
export async function attestChecked(
  { objects, attestation }: AttestationDeps,
  repository: Pick<Repository, 'name' | 'registry' | 'manifest' | 'uploadBlob' | 'putReferrer'>,
  digest: string,
): Promise<void> {
  const image = `${repository.name}@${digest}`;
  const manifest = await repository.manifest(digest);
  if (manifest === undefined) throw again('PushFailed', `registry ${repository.registry} lost ${image}`);
  const kept = await objects.read(keyOf(digest)).catch((err: unknown) => {
    if (!(err instanceof SlipwayError) || err.code !== 'not_found') throw err;
    throw again('PackagerFailed', `the platform's bucket lost the description of ${image}`);
  });
  const description = JSON.parse(kept.toString('utf8')) as ImageDescription;
  const signer = await attestation.signer();
  await attestImage({ repository, manifest, ...description }, { signer, builder: attestation.builder });
}

const again = (reason: Reason, message: string): SlipwayError =>
  runFailed({ reason, message: `${message} before its statements were signed: run the packaging again` });
