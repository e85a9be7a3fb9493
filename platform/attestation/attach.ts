import { Readable } from 'node:stream';
import { digestOfBytes } from '../registry/manifests.js';
import { type Descriptor, OCI, type StoredManifest } from '../registry/media-types.js';
import type { Repository } from '../registry/repository.js';
import { BUNDLE_TYPE } from './bundle.js';

/** The content of the config of a manifest that needs none (OCI image specification 1.1, "Guidance for an empty descriptor"). */
const EMPTY = Buffer.from('{}');

export interface Attachment {
  /** The manifest of the image. */
  subject: StoredManifest;
  /** A signed bundle. */
  bundle: string;
  predicateType: string;
}

/**
 * Stores a bundle beside an image, as a manifest that names the image as its subject, in the form that cosign reads.
 * Everything is named by its content: a repeat changes nothing.
 * @returns digest of that manifest
 */
export async function attachBundle(
  repository: Pick<Repository, 'uploadBlob' | 'putReferrer'>,
  { subject, bundle, predicateType }: Attachment,
): Promise<string> {
  const content = Buffer.from(bundle);
  const blobs = { config: EMPTY, layer: content };
  for (const bytes of Object.values(blobs)) {
    const open = (start: number) => Readable.from([bytes.subarray(start)]);
    await repository.uploadBlob({ digest: digestOfBytes(bytes), size: bytes.length, open });
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI.manifest,
    artifactType: BUNDLE_TYPE,
    config: descriptorOf(EMPTY, OCI.empty),
    layers: [descriptorOf(content, BUNDLE_TYPE)],
    subject: descriptorOf(subject.bytes, subject.mediaType),
    annotations: {
      'dev.sigstore.bundle.content': 'dsse-envelope',
      'dev.sigstore.bundle.predicateType': predicateType,
    },
  };
  return repository.putReferrer({ mediaType: OCI.manifest, bytes: Buffer.from(JSON.stringify(manifest)) });
}

const descriptorOf = (bytes: Buffer, mediaType: string): Descriptor => ({
  ...{ mediaType, digest: digestOfBytes(bytes), size: bytes.length },
});
