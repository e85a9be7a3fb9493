import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { type Reason, runFailed } from '../kinds/reasons.js';
import { type Descriptor, DOCKER, OCI, type StoredManifest } from './media-types.js';
import type { Repository } from './repository.js';

const Blob = z.object({ mediaType: z.string(), digest: z.string(), size: z.number() });
const Manifest = z.object({ config: Blob, layers: z.array(Blob) });
const Settings = z.looseObject({
  Env: z.array(z.string()).nullish(),
  Labels: z.record(z.string(), z.string()).nullish(),
});
const Config = z.looseObject({
  architecture: z.string(),
  os: z.string(),
  created: z.string().optional(),
  config: Settings.nullish(),
  rootfs: z.object({ type: z.string(), diff_ids: z.array(z.string()) }),
  history: z.array(z.looseObject({ empty_layer: z.boolean().optional() })).nullish(),
});
/** The part of an image's configuration that a new image changes; the rest stays as it is. */
export type ImageConfig = z.infer<typeof Config>;

/** An image that a registry has. */
export interface Image {
  manifest: StoredManifest;
  /** The blob of its configuration. */
  configBlob: Descriptor;
  /** With media types of OCI. */
  layers: readonly Descriptor[];
  config: ImageConfig;
  /** Where its blobs are. */
  repository: Repository;
}

/** OCI's names of the types of layers; other types cannot be kept in a registry of ours. */
const LAYER_TYPES: Readonly<Record<string, string>> = {
  [DOCKER.layer]: OCI.layer,
  [OCI.layer]: OCI.layer,
  'application/vnd.docker.image.rootfs.diff.tar': 'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar': 'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar+zstd': 'application/vnd.oci.image.layer.v1.tar+zstd',
};

const MOST_CONFIG_BYTES = 4 * 2 ** 20;

/** Reads layers and configuration of an image. @throws run_failed when it is no image of ours to build upon */
export async function readImage(repository: Repository, stored: StoredManifest, reason: Reason): Promise<Image> {
  const refuse = (why: string) => runFailed({ reason, message: `image ${repository.name}@${stored.digest} ${why}` });
  const manifest = Manifest.safeParse(parseJson(stored.bytes));
  if (!manifest.success) throw refuse(`has a manifest of type ${stored.mediaType}, which is none of an image`);
  const { config: blob, layers } = manifest.data;
  if (blob.size > MOST_CONFIG_BYTES) throw refuse('has too large a configuration');
  const config = Config.safeParse(parseJson(await buffer(repository.readBlob(blob))));
  if (!config.success) throw refuse('has a configuration that is none of an image');
  if (config.data.rootfs.diff_ids.length !== layers.length) throw refuse('has other layers than its configuration');
  const known = layers.map((layer) => {
    const mediaType = LAYER_TYPES[layer.mediaType];
    if (mediaType === undefined) throw refuse(`has a layer of type ${layer.mediaType}, which cannot be copied`);
    return { ...layer, mediaType };
  });
  return { manifest: stored, configBlob: blob, layers: known, config: config.data, repository };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Variables of an image by their names. */
export function variablesOf({ config }: Pick<Image, 'config'>): Record<string, string> {
  const pairs = (config.config?.Env ?? []).map((text) => {
    const at = text.indexOf('=');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}
