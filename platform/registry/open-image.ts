import { arch } from 'node:process';
import { z } from 'zod';
import { type Reason, runFailed } from '../kinds/reasons.js';
import { type Image, readImage } from './image.js';
import { DOCKER, OCI, type StoredManifest } from './media-types.js';
import type { Repository } from './repository.js';

const Descriptor = z.object({ mediaType: z.string(), digest: z.string(), size: z.number() });
const Platform = z.object({ os: z.string(), architecture: z.string(), variant: z.string().optional() });
const Index = z.object({ manifests: z.array(Descriptor.extend({ platform: Platform.optional() })) });

interface Wanted {
  /** Default: that of this process. */
  architecture?: string;
  /** The reason of a run that cannot use the image. */
  reason: Reason;
}

/**
 * The image that a tag or a digest leads to: of an index, the one for our platform. @returns `undefined` when there is none
 * @throws run_failed when it is made for another platform, or is no image to build upon
 */
export async function openImage(
  repository: Repository,
  reference: string,
  { architecture = HOST_ARCHITECTURE, reason }: Wanted,
): Promise<Image | undefined> {
  const stored = await imageManifest(repository, reference, { architecture, reason });
  if (stored === undefined) return undefined;
  const image = await readImage(repository, stored, reason);
  const { os, architecture: found } = image.config;
  if (os === 'linux' && found === architecture) return image;
  throw otherPlatform(`${repository.name} ${reference}`, [`${os}/${found}`], { architecture, reason });
}

async function imageManifest(
  repository: Repository,
  reference: string,
  wanted: Required<Wanted>,
): Promise<StoredManifest | undefined> {
  const stored = await repository.manifest(reference);
  if (stored === undefined || (stored.mediaType !== OCI.index && stored.mediaType !== DOCKER.index)) return stored;
  const { manifests } = Index.parse(JSON.parse(stored.bytes.toString('utf8')));
  const { architecture } = wanted;
  const ours = manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === architecture);
  if (ours) return repository.manifest(ours.digest);
  const offered = manifests.flatMap(({ platform }) => (platform ? [`${platform.os}/${platform.architecture}`] : []));
  throw otherPlatform(`${repository.name} ${reference}`, offered, wanted);
}

const otherPlatform = (image: string, offered: string[], { architecture, reason }: Required<Wanted>) =>
  runFailed({
    reason,
    message: `image ${image} is not made for linux/${architecture}, only for ${offered.join(', ')}: name one that is`,
  });

/** Names of Node.js, and those of images where they differ. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };
export const HOST_ARCHITECTURE = ARCHITECTURES[arch] ?? arch;
