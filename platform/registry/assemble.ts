import { Readable } from 'node:stream';
import { type Image, type ImageConfig, variablesOf } from './image.js';
import { digestOfBytes } from './manifests.js';
import { type Descriptor, OCI } from './media-types.js';
import type { Repository } from './repository.js';
import type { BlobSource } from './upload.js';

/** A layer that no registry has yet. */
export interface NewLayer extends BlobSource {
  /** Digest of the tar before its compression. */
  diffId: string;
  /** Its line in the history of the image. */
  createdBy: string;
}

/** The settings that an image adds to those of the image below. */
export interface ImageSettings {
  env: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
  user?: string;
  workingDir?: string;
  /** Replaces command and entry point. */
  command?: readonly string[];
  /** Replaces both too: the command of a container becomes its arguments. */
  entrypoint?: readonly string[];
}

interface Assembly {
  base: Image;
  layers: readonly NewLayer[];
  settings: ImageSettings;
}

/**
 * Makes an image of another one and layers: blobs, then the manifest by its digest. Nothing is run, and nothing of the
 * clock enters it: equal input gives an equal digest. Can be repeated.
 */
export async function assembleImage(target: Repository, { base, layers, settings }: Assembly): Promise<Image> {
  await bringLayers(target, base);
  for (const layer of layers) await target.uploadBlob(layer);
  const config = extendConfig(base.config, layers, settings);
  const bytes = Buffer.from(JSON.stringify(config));
  const configBlob = { mediaType: OCI.config, digest: digestOfBytes(bytes), size: bytes.length };
  await target.uploadBlob({ ...configBlob, open: (start) => Readable.from([bytes.subarray(start)]) });
  const added = layers.map(({ digest, size }) => ({ mediaType: OCI.layer, digest, size }));
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI.manifest,
    config: configBlob,
    layers: [...base.layers, ...added],
  };
  const stored = { mediaType: OCI.manifest, bytes: Buffer.from(JSON.stringify(manifest)) };
  const { digest } = await target.putManifest(stored);
  return { manifest: { ...stored, digest }, configBlob, layers: manifest.layers, config, repository: target };
}

/** Copies an image as it is: the same manifest, so the same digest. Can be repeated. */
export async function copyImage(target: Repository, image: Image, tag: string): Promise<Image> {
  const { manifest, configBlob, repository: from } = image;
  await bringLayers(target, image);
  await target.uploadBlob({ ...configBlob, open: (start) => from.readBlob(configBlob, start) });
  await target.putManifest(manifest, tag);
  return { ...image, repository: target };
}

/** Mounts the layers of an image where its registry is that of the target, else copies them. */
async function bringLayers(target: Repository, { repository: from, layers }: Image): Promise<void> {
  if (from.name === target.name) return;
  const isNear = from.registry === target.registry;
  const bring = async (layer: Descriptor): Promise<Descriptor[]> =>
    isNear && (await target.mountBlob(layer.digest, from.path)) ? [] : [layer];
  const missing = (await Promise.all(layers.map(bring))).flat();
  // One after the other: each holds a chunk in memory.
  for (const layer of missing) await target.uploadBlob({ ...layer, open: (start) => from.readBlob(layer, start) });
}

/** Instructions of the image below that are for builders and its own program. */
const NOT_TAKEN_OVER = ['OnBuild', 'Entrypoint', 'Cmd', 'Healthcheck', 'ArgsEscaped', 'Image', 'Hostname'];

function extendConfig(base: ImageConfig, layers: readonly NewLayer[], settings: ImageSettings): ImageConfig {
  const { created = EPOCH } = base;
  const kept = Object.entries(base.config ?? {}).filter(([name]) => !NOT_TAKEN_OVER.includes(name));
  const env = { ...variablesOf({ config: base }), ...settings.env };
  const { user, workingDir, labels } = settings;
  return {
    ...base,
    created,
    config: {
      ...Object.fromEntries(kept),
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      Labels: { ...base.config?.Labels, ...labels },
      ...commandOf(base, settings),
      ...(user !== undefined && { User: user }),
      ...(workingDir !== undefined && { WorkingDir: workingDir }),
    },
    rootfs: { ...base.rootfs, diff_ids: [...base.rootfs.diff_ids, ...layers.map(({ diffId }) => diffId)] },
    history: [...historyOf(base), ...layers.map(({ createdBy }) => ({ created, created_by: createdBy }))],
  };
}

const EPOCH = '1970-01-01T00:00:00Z';

function commandOf({ config }: ImageConfig, { command, entrypoint }: ImageSettings): object {
  if (entrypoint !== undefined) return { Entrypoint: [...entrypoint] };
  if (command !== undefined) return { Cmd: [...command] };
  const { Entrypoint, Cmd } = config ?? {};
  return { ...(Entrypoint !== undefined && { Entrypoint }), ...(Cmd !== undefined && { Cmd }) };
}

/** One entry for each layer, as some engines want it, also where the image below has no history. */
function historyOf({ history, rootfs, created = EPOCH }: ImageConfig): NonNullable<ImageConfig['history']> {
  const ofLayers = (history ?? []).filter(({ empty_layer }) => !empty_layer);
  if (history && ofLayers.length === rootfs.diff_ids.length) return history;
  return rootfs.diff_ids.map(() => ({ created, created_by: 'base' }));
}
