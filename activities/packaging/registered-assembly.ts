import { join } from 'node:path';
import { DEFAULT_IMAGE_NAME } from '../../lifecycle/kinds/image-name.js';
import { withDefaultArguments } from '../../lifecycle/kinds/packaging-arguments.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { openBase } from '../shared/base.js';
import { logDuration } from '../shared/log-duration.js';
import { fetchArtifact, readModelName } from '../training/artifact.js';
import type { AssembledImage, ImageAssembly, ImageAssemblyDeps } from './image-request.js';
import { openImageTarget } from './image-target.js';
import { assembleModelImage, type ServingSettings } from './model-image.js';
import { type ImagePlan, runPackager } from './packager-job.js';
import { mirrored } from './registry.js';

/** Name of the default place of an image for its packager. */
const PLACE = 'app';

/**
 * Wraps a model by the program of a registered integration. The program runs as a job, which decides on the content of
 * the image; the platform makes and pushes it, so that no credential of a registry enters the container.
 */
export async function assembleRegistered(deps: ImageAssemblyDeps, assembly: ImageAssembly): Promise<AssembledImage> {
  const { connections, step, ref, scratch, integration } = assembly;
  const { packaging, say, signal } = step;
  const { artifactName } = packaging.spec;
  const schema = integration?.spec.schema.arguments ?? { properties: [], required: [] };
  const args = withDefaultArguments(schema, packaging.spec.arguments);
  const unpacked = join(scratch, 'artifact');
  const sha256 = await logDuration(say, 'artifact fetched', async () =>
    fetchArtifact(await connections.openOutput(packaging), artifactName, unpacked),
  );
  signal.throwIfAborted(); // object storage is read without a signal
  const model = await readModelName(unpacked);
  const template = typeof args.imageName === 'string' ? args.imageName : DEFAULT_IMAGE_NAME;
  const target = await openImageTarget(deps, assembly, { template, model });
  const job = {
    ...{ kind: 'ModelPackaging', id: ref.id, generation: ref.generation, model, arguments: args, image: target.name },
    artifact: { name: artifactName, sha256 },
  };
  const { plan, folder } = await logDuration(say, 'packager ended', () =>
    runPackager(deps, assembly, { artifact: unpacked, job }),
  );
  const base = await openPlannedBase(deps, assembly, plan.base);
  const image = await logDuration(say, 'image assembled', () =>
    assembleModelImage({
      ...{ model: { ...model, sha256 }, layer: { folder, path: PLACE }, base, environment: base.image },
      ...{ target: target.repository, serving: servingOf(plan), packagingId: ref.id, scratch, signal },
    }),
  );
  const artifact = { ...model, sha256, folder, lock: [] };
  const described = { reference: base.reference, digest: base.image.manifest.digest };
  const parts = { packager: 'registered', args, artifact, base: described, installed: [] };
  return { name: target.name, image, environment: base.reference, parts };
}

async function openPlannedBase(
  deps: ImageAssemblyDeps,
  { connections, step: { packaging, signal, say } }: ImageAssembly,
  named: string,
) {
  const reference = mirrored(named, deps.imageMirrors);
  const pull = await connections.target(packaging, 'container-pull');
  const reason = 'ImagePullFailed';
  const auth = await deps.registryAuth(reference, pull, { reason });
  const base = await openBase(deps, { reference, auth, signal, say, reason });
  return { ...base, reference: named };
}

/** @throws run_failed, PackagerFailed, for a variable that the platform sets itself */
function servingOf({ entrypoint, env, predictor, port, timeout }: ImagePlan): ServingSettings {
  const own = ['MODEL_NAME', 'MODEL_VERSION'].find((name) => Object.hasOwn(env, name));
  if (own !== undefined) {
    const message = `the packager sets the variable ${own}, which the platform sets: leave it out of image.json`;
    throw runFailed({ reason: 'PackagerFailed', message });
  }
  return {
    packager: 'registered',
    ...(entrypoint && { entrypoint }),
    user: '10001:0',
    workingDir: `/${PLACE}`,
    variables: env,
    labels: {
      ...(predictor && { 'dev.slipway.predictor': predictor }),
      ...(port !== undefined && { 'dev.slipway.port': String(port) }),
      ...(timeout !== undefined && { 'dev.slipway.timeout': String(timeout) }),
    },
  };
}
