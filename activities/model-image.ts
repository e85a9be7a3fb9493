import { createReadStream } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDriver, ImageFacts, LogSink } from '../engines/driver.js';
import { packFolder } from './archive.js';
import type { Artifact } from './artifact.js';

/** How the model server of the image is started (arguments of the packager `container-rest`). */
export interface ServingArguments {
  host: string;
  port: number;
  /** Seconds. */
  timeout: number;
  workers: number;
  threads: number;
}

interface ModelImage {
  artifact: Artifact;
  /** Image with the environment and the model server. */
  environment: string;
  /** Full name of the image to build. */
  image: string;
  serving: ServingArguments;
  /** `image` and `id` of the base, for the labels. */
  base: { image: string; id: string };
  /** Packaging id. */
  packagingId: string;
  scratch: string;
  log: LogSink;
  signal: AbortSignal;
}

/** Adds the model as one layer on its environment; the labels say where everything came from. */
export async function buildModelImage(engine: EngineDriver, request: ModelImage): Promise<ImageFacts> {
  const { artifact, environment, image, serving, scratch, log, signal } = request;
  const context = join(scratch, 'context');
  await mkdir(context);
  await cp(artifact.folder, join(context, 'model'), { recursive: true, verbatimSymlinks: true });
  const settings = {
    MODEL_LOCATION: `/app/model/${artifact.workDir.replace(/^\.\//, '')}`,
    MODEL_ENTRYPOINT: artifact.entrypoint,
    MODEL_NAME: artifact.name,
    MODEL_VERSION: artifact.version,
    HOST: serving.host,
    PORT: String(serving.port),
    TIMEOUT: String(serving.timeout),
    WORKERS: String(serving.workers),
    THREADS: String(serving.threads),
  };
  const environmentLine = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const dockerfile = [`FROM ${environment}`, `ENV ${environmentLine.join(' ')}`, 'COPY model /app/model', ''];
  await writeFile(join(context, 'Dockerfile'), dockerfile.join('\n'));
  const file = join(scratch, 'context.tar.gz');
  await packFolder(context, file);
  return engine.build(
    createReadStream(file),
    { tag: image, labels: imageLabels(request), network: 'none', signal },
    log,
  );
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
