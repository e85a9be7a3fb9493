import { join } from 'node:path';
import type { BuiltInPackager } from '../../lifecycle/kinds/packager.js';
import { assembleImage, type ImageSettings } from '../../platform/registry/assemble.js';
import type { Image } from '../../platform/registry/image.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { Base } from '../shared/base.js';
import { packLayer } from '../shared/layer.js';
import type { Artifact } from '../training/artifact.js';

/** The settings of an image that depend on its packager. */
export interface ServingSettings {
  packager: BuiltInPackager;
  /** Absent: the command of the environment. */
  entrypoint?: readonly string[];
  variables: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
}

interface ModelImage {
  artifact: Artifact;
  /** Image with the environment and the model server. */
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
  const { artifact, environment, target, scratch, signal } = request;
  const file = join(scratch, 'model.tar.gz');
  const place = { folder: artifact.folder, path: 'app/model', file, createdBy: 'slipway /app/model' };
  const layer = await packLayer({ ...place, signal });
  return assembleImage(target, { base: environment, layers: [layer], settings: settingsOf(request) });
}

function settingsOf(request: ModelImage): ImageSettings {
  const { artifact, serving } = request;
  return {
    env: {
      MODEL_LOCATION: `/app/model/${artifact.workDir.replace(/^\.\//, '')}`,
      MODEL_ENTRYPOINT: artifact.entrypoint,
      MODEL_NAME: artifact.name,
      MODEL_VERSION: artifact.version,
      ...serving.variables,
    },
    ...(serving.entrypoint && { entrypoint: serving.entrypoint }),
    labels: imageLabels(request),
  };
}

/** Standard names of the OCI image specification, and ours. */
function imageLabels({ artifact, serving, base, packagingId }: ModelImage): Record<string, string> {
  return {
    'org.opencontainers.image.title': artifact.name,
    'org.opencontainers.image.version': artifact.version,
    'org.opencontainers.image.base.name': base.reference,
    'org.opencontainers.image.base.digest': base.image.manifest.digest,
    'dev.slipway.model.name': artifact.name,
    'dev.slipway.model.version': artifact.version,
    'dev.slipway.artifact.sha256': artifact.sha256,
    'dev.slipway.packaging': packagingId,
    'dev.slipway.packager': serving.packager,
    ...serving.labels,
  };
}
