import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverVariables, type ServerArguments } from '../../lifecycle/kinds/packaging-arguments.js';
import type { EngineDriver, ImageFacts, LogSink } from '../../platform/engines/driver.js';
import { tarFolder } from '../shared/archive.js';
import type { Artifact } from '../training/artifact.js';
import { assignments } from './dockerfile.js';

/** Where an artifact is unpacked in the context of its build; below `layer` lies what the layer adds to the image. */
export const ARTIFACT_FOLDER = 'layer/app/model';

interface ModelImage {
  artifact: Artifact;
  /** Image with the environment and the model server. */
  environment: string;
  /** Full name of the image to build. */
  image: string;
  serving: ServerArguments;
  /** `image` and `id` of the base, for the labels. */
  base: { image: string; id: string };
  /** Packaging id. */
  packagingId: string;
  /** Folder of the build, with the artifact in `ARTIFACT_FOLDER`. */
  context: string;
  log: LogSink;
  signal: AbortSignal;
}

/**
 * Adds the model as one layer on its environment; the labels say where everything came from. The same model gives the
 * same layer: every folder of its path is copied with its time, for one that is made on the way has the time of the build.
 */
export async function buildModelImage(engine: EngineDriver, request: ModelImage): Promise<ImageFacts> {
  const { artifact, environment, image, serving, context, log, signal } = request;
  const settings = {
    MODEL_LOCATION: `/app/model/${artifact.workDir.replace(/^\.\//, '')}`,
    MODEL_ENTRYPOINT: artifact.entrypoint,
    MODEL_NAME: artifact.name,
    MODEL_VERSION: artifact.version,
    ...serverVariables(serving),
  };
  const lines = [
    `FROM ${environment}`,
    'COPY layer/ /',
    `ENV ${assignments(settings)}`,
    `LABEL ${assignments(imageLabels(request))}`,
    '',
  ];
  await writeFile(join(context, 'Dockerfile'), lines.join('\n'));
  const archive = tarFolder(context);
  try {
    return await engine.build(archive, { tag: image, network: 'none', oneStage: true, signal }, log);
  } finally {
    archive.destroy();
  }
}

/** Standard names of the OCI image specification, and ours. */
function imageLabels({ artifact, serving, base, packagingId }: ModelImage): Record<string, string> {
  return {
    'org.opencontainers.image.title': artifact.name,
    'org.opencontainers.image.version': artifact.version,
    'org.opencontainers.image.base.name': base.image,
    'org.opencontainers.image.base.digest': base.id,
    'dev.slipway.model.name': artifact.name,
    'dev.slipway.model.version': artifact.version,
    'dev.slipway.artifact.sha256': artifact.sha256,
    'dev.slipway.packaging': packagingId,
    'dev.slipway.predictor': 'platform-ml-server',
    'dev.slipway.port': String(serving.port),
    'dev.slipway.timeout': String(serving.timeout),
    'dev.slipway.concurrency': String(serving.workers * serving.threads),
  };
}
