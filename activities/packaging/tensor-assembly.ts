import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { TENSOR_ARGUMENTS } from '../../lifecycle/kinds/packaging-arguments.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Image } from '../../platform/registry/image.js';
import type { Repository } from '../../platform/registry/repository.js';
import { logDuration } from '../shared/log-duration.js';
import { readLock } from '../shared/lock.js';
import { fetchArtifact, PROJECT_FILES, readModelName, readText } from '../training/artifact.js';
import type { BaseImage } from './base-image.js';
import type { AssembledImage, ImageAssembly, ImageAssemblyDeps } from './image-request.js';
import { openImageTarget } from './image-target.js';
import { assembleModelImage, type ServingSettings } from './model-image.js';
import { comparePackages } from './packages.js';
import { mergeArguments } from './packaging-arguments.js';
import { openPythonBase, pythonImage } from './python-base.js';
import { ensureServingEnvironment } from './serving-environment.js';
import { ONNX_TAG, readTensorModel, type TensorModel } from './tensor-rules.js';

/** The public image of the tensor server; an installation may map a tag of it to an image of its own. */
const SERVER_IMAGE = 'nvcr.io/nvidia/tritonserver';
const REPOSITORY = 'models_repository';
const PORT = '8000';
const CONFIG = 'config.pbtxt';
const MAX_CONFIG_BYTES = 2 ** 20;

/** Wraps a model into the tensor server. */
export async function assembleTensor(deps: ImageAssemblyDeps, assembly: ImageAssembly): Promise<AssembledImage> {
  const { connections, step, ref, scratch } = assembly;
  const { packaging, say, signal } = step;
  const args = mergeArguments(TENSOR_ARGUMENTS, packaging, assembly.integration);
  const { imageName, server_base_image_tag: tag } = args;
  const unpacked = join(scratch, 'artifact');
  const sha256 = await logDuration(say, 'artifact fetched', async () =>
    fetchArtifact(await connections.openOutput(packaging), packaging.spec.artifactName, unpacked),
  );
  signal.throwIfAborted(); // object storage is read without a signal
  const model = await readModel(unpacked, tag);
  if (model.warning !== undefined) say(`WARNING ${model.warning}`);
  const target = await openImageTarget(deps, assembly, { template: imageName, model });
  const folder = join(scratch, REPOSITORY);
  await arrange(unpacked, join(folder, model.name), model.version);
  const server =
    tag === ONNX_TAG ? await onnxServer(deps, assembly, target.environments) : await publicServer(deps, assembly, tag);
  const image = await logDuration(say, 'image assembled', () =>
    assembleModelImage({
      ...{ model: { ...model, sha256 }, layer: { folder, path: REPOSITORY }, base: server.base },
      ...{ environment: server.image, target: target.repository, serving: servingOf(model, server.entrypoint) },
      ...{ packagingId: ref.id, scratch, signal },
    }),
  );
  const artifact = { ...model, sha256, folder, lock: [] };
  const base = { ...server.base, digest: server.base.image.manifest.digest };
  const parts = { packager: 'container-tensor', args, artifact, base, installed: server.lock, server: server.folder };
  return { name: target.name, image, environment: server.name, parts };
}

interface TensorServer {
  name: string;
  image: Image;
  base: BaseImage;
  entrypoint: readonly string[];
  /** Packages on top of the base. */
  lock: readonly string[];
  /** Folder of the Python package `slipway_server`, where it is in the image. */
  folder?: string;
}

const COMMAND = ['tritonserver', `--model-repository=/${REPOSITORY}`];

async function publicServer(deps: ImageAssemblyDeps, assembly: ImageAssembly, tag: string): Promise<TensorServer> {
  const { say } = assembly.step;
  const named = `${SERVER_IMAGE}:${tag}`;
  const base = await logDuration(say, 'base image resolved', () => openPythonBase(deps, assembly, named));
  // Needed until release 22.07, and the default since then.
  const entrypoint = [...COMMAND, '--strict-model-config=false'];
  return { name: base.reference, image: base.image, base, entrypoint, lock: [] };
}

/** The platform's own server for ONNX: the model server and onnxruntime on a slim image of Python. */
async function onnxServer(deps: ImageAssemblyDeps, assembly: ImageAssembly, target: Repository): Promise<TensorServer> {
  const { ref, step } = assembly;
  const { say, log, signal } = step;
  const { server: folder } = deps;
  const base = await logDuration(say, 'base image resolved', () => openPythonBase(deps, assembly, pythonImage()));
  const lock = await readLock(join(folder, 'onnx.lock'), 'the lock of the tensor server', 'PackagerFailed');
  const difference = comparePackages(lock, base.packages);
  const made = await logDuration(say, 'environment ready', () =>
    ensureServingEnvironment(deps.engine, {
      ref,
      base,
      target,
      difference,
      server: folder,
      installer: deps,
      log,
      signal,
    }),
  );
  const entrypoint = ['python', '-m', 'slipway_server'];
  return { ...made, base, entrypoint, lock: difference.install, folder };
}

const servingOf = ({ name, version }: TensorModel, entrypoint: readonly string[]): ServingSettings => ({
  packager: 'container-tensor',
  entrypoint,
  user: '10001:0',
  variables: {
    MODEL_REPOSITORY: `/${REPOSITORY}`,
    MODEL_LOCATION: `/${REPOSITORY}/${name}/${version}`,
    PORT,
  },
  labels: {
    'dev.slipway.predictor': 'tensor-server',
    'dev.slipway.port': PORT,
    'dev.slipway.timeout': '60',
  },
});

async function readModel(folder: string, tag: string): Promise<TensorModel> {
  const config = await readText(folder, CONFIG, MAX_CONFIG_BYTES);
  const model = readTensorModel({
    names: await readdir(folder),
    ...(await readModelName(folder)),
    ...(config !== undefined && { config }),
    tag,
  });
  if (typeof model !== 'string') return model;
  throw runFailed({ reason: 'PackagerFailed', message: model });
}

/** Moves the files of an artifact to their places: the configuration beside the version, all else into it. */
async function arrange(from: string, to: string, version: string): Promise<void> {
  await mkdir(join(to, version), { recursive: true });
  for (const name of await readdir(from)) {
    if (PROJECT_FILES.includes(name)) continue;
    await rename(join(from, name), name === CONFIG ? join(to, name) : join(to, version, name));
  }
}
