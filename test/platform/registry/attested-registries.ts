import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseImageReference } from '../../../platform/engines/image-reference.js';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
import { type Descriptor, OCI, type StoredManifest } from '../../../platform/registry/media-types.js';
import type { Repository } from '../../../platform/registry/repository.js';

type MemoryRepository = Pick<
  Repository,
  'name' | 'registry' | 'manifest' | 'manifestDigest' | 'referrers' | 'readBlob' | 'uploadBlob' | 'putReferrer'
> & { tag(tag: string, manifest: object): StoredManifest };

/** The part of registries that attestations use, in memory; `asked` are the images that were opened, with credentials. */
export function createMemoryRegistries() {
  const repositories = new Map<string, MemoryRepository>();
  const asked: { image: string; auth: unknown }[] = [];
  return {
    asked,
    open(image: string, { auth }: { auth?: unknown } = {}): MemoryRepository {
      asked.push({ image, auth });
      const { name } = parseImageReference(image);
      const found = repositories.get(name) ?? createMemoryRepository(name);
      repositories.set(name, found);
      return found;
    },
  };
}

function createMemoryRepository(name: string): MemoryRepository {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, StoredManifest>();
  const listed = new Map<string, Descriptor[]>();
  const put = (bytes: Buffer): StoredManifest => {
    const stored = { mediaType: OCI.manifest, digest: digestOfBytes(bytes), bytes };
    manifests.set(stored.digest, stored);
    return stored;
  };
  return {
    name,
    registry: name.split('/')[0] ?? '',
    tag(tag, manifest) {
      const stored = put(Buffer.from(JSON.stringify(manifest)));
      manifests.set(tag, stored);
      return stored;
    },
    manifest: async (reference) => manifests.get(reference),
    manifestDigest: async (reference) => manifests.get(reference)?.digest,
    referrers: async (digest) => listed.get(digest) ?? [],
    readBlob: ({ digest }) => Readable.from([blobs.get(digest) ?? Buffer.alloc(0)]),
    uploadBlob: async ({ digest, open }) => void blobs.set(digest, await buffer(open(0))),
    async putReferrer({ bytes }) {
      const { digest } = put(bytes);
      const { subject, artifactType } = JSON.parse(bytes.toString('utf8')) as {
        subject: Descriptor;
        artifactType?: string;
      };
      const others = (listed.get(subject.digest) ?? []).filter((each) => each.digest !== digest);
      const own = { mediaType: OCI.manifest, digest, size: bytes.length, ...(artifactType && { artifactType }) };
      listed.set(subject.digest, [...others, own]);
      return digest;
    },
  };
}
