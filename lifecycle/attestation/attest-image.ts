import { attachBundle } from '../../platform/attestation/attach.js';
import { signStatement } from '../../platform/attestation/bundle.js';
import type { Signer } from '../../platform/attestation/envelope.js';
import { imageStatement, PREDICATES } from '../../platform/attestation/statement.js';
import type { StoredManifest } from '../../platform/registry/media-types.js';
import type { Repository } from '../../platform/registry/repository.js';
import { type Builder, type ImageOrigin, imageProvenance } from './provenance.js';
import { type ImageContents, imageSbom } from './sbom.js';

export interface ImageToAttest {
  repository: Pick<Repository, 'name' | 'uploadBlob' | 'putReferrer'>;
  /** The manifest as it was pushed. */
  manifest: StoredManifest;
  origin: ImageOrigin;
  contents: Omit<ImageContents, 'image' | 'digest'>;
}

/**
 * Signs the bill of materials and the provenance of an image, and stores both beside it. Can be repeated; an image with
 * provenance has its bill of materials too.
 */
export async function attestImage(
  { repository, manifest, origin, contents }: ImageToAttest,
  { signer, builder }: { signer: Signer; builder: Builder },
): Promise<void> {
  const image = { name: repository.name, digest: manifest.digest };
  const predicates = [
    [PREDICATES.sbom, imageSbom({ ...contents, image: image.name, digest: image.digest })],
    [PREDICATES.provenance, imageProvenance(origin, builder)],
  ] as const;
  for (const [predicateType, predicate] of predicates) {
    const bundle = await signStatement(signer, imageStatement(image, predicateType, predicate));
    await attachBundle(repository, { subject: manifest, bundle, predicateType });
  }
}
