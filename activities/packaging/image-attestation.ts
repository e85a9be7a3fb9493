import { attestImage } from '../../lifecycle/attestation/attest-image.js';
import type { Builder } from '../../lifecycle/attestation/provenance.js';
import type { Signer } from '../../platform/attestation/envelope.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
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

/** Signs statements about an image that passed its check, and stores them beside it. Can be repeated. */
export async function attestChecked(
  { objects, attestation }: AttestationDeps,
  repository: Pick<Repository, 'name' | 'manifest' | 'uploadBlob' | 'putReferrer'>,
  digest: string,
): Promise<void> {
  const manifest = await repository.manifest(digest);
  if (manifest === undefined) throw new SlipwayError('internal', `image ${repository.name}@${digest} is gone`);
  const description = JSON.parse((await objects.read(keyOf(digest))).toString('utf8')) as ImageDescription;
  const signer = await attestation.signer();
  await attestImage({ repository, manifest, ...description }, { signer, builder: attestation.builder });
}
