import { arch } from 'node:process';
import { z } from 'zod';
import { type Reason, runFailed } from '../kinds/reasons.js';
import { DOCKER, OCI, type StoredManifest } from './media-types.js';
import type { Repository } from './repository.js';

const Descriptor = z.object({ mediaType: z.string(), digest: z.string(), size: z.number() });
const Platform = z.object({ os: z.string(), architecture: z.string(), variant: z.string().optional() });
const Index = z.object({ manifests: z.array(Descriptor.extend({ platform: Platform.optional() })) });

/** The image that a tag or a digest leads to: of an index, the one for our platform. */
export async function imageManifest(
  repository: Repository,
  reference: string,
  { architecture = ARCHITECTURES[arch] ?? arch, reason }: { architecture?: string; reason: Reason },
): Promise<StoredManifest | undefined> {
  const stored = await repository.manifest(reference);
  if (stored === undefined || (stored.mediaType !== OCI.index && stored.mediaType !== DOCKER.index)) return stored;
  const { manifests } = Index.parse(JSON.parse(stored.bytes.toString('utf8')));
  const ours = manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === architecture);
  if (ours) return repository.manifest(ours.digest);
  const offered = manifests.flatMap(({ platform }) => (platform ? [`${platform.os}/${platform.architecture}`] : []));
  const image = `${repository.name} ${reference}`;
  throw runFailed({
    reason,
    message: `image ${image} is not made for linux/${architecture}, only for ${offered.join(', ')}`,
  });
}

/** Names of Node.js, and those of images where they differ. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };
