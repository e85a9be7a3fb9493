import { join } from 'node:path';
import { assembleImage, type ImageSettings } from '../../platform/registry/assemble.js';
import type { Image } from '../../platform/registry/image.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { Base } from '../shared/base.js';
import { packLayer } from '../shared/layer.js';

/** The settings of an image that depend on its packager. */
export interface ServingSettings {
  /** The packager of the platform, or `registered`. */
  packager: string;
  /** Absent: that of the image below. */
  entrypoint?: readonly string[];
  user?: string;
  workingDir?: string;
  variables: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
}

interface ModelImage {
  model: { name: string; version: string; sha256: string };
  /** The folder that becomes a layer, and its place in the image, without a slash at either end. */
  layer: { folder: string; path: string };
  /** Image with everything but the model. */
  environment: Image;
  /** The repository of the new image. */
  target: Repository;
  serving: ServingSettings;
  /** For the labels. */
  base: Base;
  /** Packaging id. */
  packagingId: string;
  /** Folder for the layer meanwhile. */
  scratch: string;
  signal: AbortSignal;
}

/** Adds the model as one layer on its environment; the labels say where everything came from. */
export async function assembleModelImage(request: ModelImage): Promise<Image> {
  const { layer, environment, target, scratch, signal } = request;
  const file = join(scratch, 'model.tar.gz');
  const packed = await packLayer({ ...layer, file, createdBy: `slipway /${layer.path}`, signal });
  return assembleImage(target, { base: environment, layers: [packed], settings: settingsOf(request) });
}

function settingsOf(request: ModelImage): ImageSettings {
  const { model, serving } = request;
  const { entrypoint, user, workingDir, variables } = serving;
  return {
    env: { MODEL_NAME: model.name, MODEL_VERSION: model.version, ...variables },
    labels: imageLabels(request),
    ...{ entrypoint, user, workingDir },
  };
}

/** Standard names of the OCI image specification, and ours. */
function imageLabels({ model, serving, base, packagingId }: ModelImage): Record<string, string> {
  return {
    'org.opencontainers.image.title': model.name,
    'org.opencontainers.image.version': model.version,
    'org.opencontainers.image.base.name': base.reference,
    'org.opencontainers.image.base.digest': base.image.manifest.digest,
    'dev.slipway.model.name': model.name,
    'dev.slipway.model.version': model.version,
    'dev.slipway.artifact.sha256': model.sha256,
    'dev.slipway.packaging': packagingId,
    'dev.slipway.packager': serving.packager,
    ...serving.labels,
  };
}
