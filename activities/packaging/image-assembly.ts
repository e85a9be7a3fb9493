import { join } from 'node:path';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { fullImageName } from '../../lifecycle/kinds/image-name.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { EngineDriver, LogSink } from '../../platform/engines/driver.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { failureIn, runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { openBase } from '../shared/base.js';
import {
  isPlatformRepository,
  type OpenedRepository,
  openPlatformRepository,
  type RegistryDeps,
} from '../shared/platform-repository.js';
import { findIntegration } from '../shared/integrations.js';
import type { PythonInstaller } from '../shared/python-installer.js';
import { logDuration } from '../shared/log-duration.js';
import { type Artifact, openArtifact } from '../training/artifact.js';
import { withScratchFolder } from '../training/workspace.js';
import { type BaseImage, inspectBase } from './base-image.js';
import { keepDescription } from './image-attestation.js';
import { describeImage } from './image-description.js';
import { assembleModelImage } from './model-image.js';
import { comparePackages, type PackageDifference } from './packages.js';
import { type MergedArguments, mergeArguments } from './packaging-arguments.js';
import type { PackagingConnections } from './packaging-connections.js';
import type { PackagingStep } from './packaging-step.js';
import { mirrored, registryAuth } from './registry.js';
import { ensureServingEnvironment } from './serving-environment.js';

export interface ImageAssemblyDeps extends PythonInstaller, RegistryDeps {
  integrations: ResourceStore<PackagingIntegration>;
  lineage: Pick<LineageLog, 'steps'>;
  engine: EngineDriver;
  /** The platform's bucket: caches only. */
  objects: ObjectStore;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  imageMirrors: Readonly<Record<string, string>>;
}

/** A model image that its registry has under its digest, and not yet under its tag. */
export interface BuiltImage {
  /** Full name with tag. */
  image: string;
  /** sha256:... of its manifest; absent in histories of an earlier release, whose images only the engine has. */
  digest?: string;
  /** Image with everything but the model. */
  environment: string;
  /** The size in the engine; in histories of an earlier release from the build, since then from the check. */
  sizeBytes?: number;
  imageId?: string;
  artifactDigest?: string;
}

export type ImageAssembly = {
  ref: RunRef;
  connections: PackagingConnections;
  step: PackagingStep;
} & (
  | {
      /** Part of the tag. */
      uuid: string;
    }
  | {
      /** Full name with tag. */
      image: string;
    }
);

/**
 * Makes the environment of an artifact, unless its registry has it, and the image with the model on top of it.
 * @throws run_failed: ArtifactNotFound, ImagePullFailed, PackagerFailed, PushFailed
 */
export async function assembleFromArtifact(
  deps: ImageAssemblyDeps,
  assembly: ImageAssembly,
): Promise<BuiltImage & { digest: string }> {
  const { connections, step, ref } = assembly;
  const { packaging, say, signal, log } = step;
  const { engine, server } = deps;
  const { integrationName, artifactName } = packaging.spec;
  const args = mergeArguments(packaging, await findIntegration(deps.integrations, 'packager', integrationName));
  const push = await connections.target(packaging, 'container-push');
  if (!push) throw missingTarget(ref.id);
  return withScratchFolder(async (scratch) => {
    const artifact = await logDuration(say, 'artifact fetched', async () =>
      openArtifact(await connections.openOutput(packaging), artifactName, join(scratch, 'model')),
    );
    signal.throwIfAborted(); // object storage is read without a signal
    const image = 'image' in assembly ? assembly.image : imageName(args, artifact, push, assembly.uuid);
    const environments = await openPlatformRepository(deps, 'environments', { signal, reason: 'PushFailed' });
    requireOwnName(image, environments);
    const base = await logDuration(say, 'base image resolved', () => openPythonBase(deps, assembly, args, artifact));
    const difference = comparePackages(artifact.lock, base.packages);
    reportDifference(say, base, difference);
    const environment = await logDuration(say, 'environment ready', () =>
      ensureServingEnvironment(engine, {
        ...{ ref, base, target: environments.repository, difference, server, installer: deps, log, signal },
      }).catch(explainOtherPython(base, artifact)),
    );
    const auth = registryAuth(image, push, deps.openSecret);
    const target = deps.registries.open(image, { auth, signal, reason: 'PushFailed' });
    const request = { artifact, environment: environment.image, target, serving: args, base, packagingId: ref.id };
    const made = await logDuration(say, 'image assembled', () => assembleModelImage({ ...request, scratch, signal }));
    const { digest } = made.manifest;
    const { reference, image: below, python, packages } = base;
    const described = { reference, digest: below.manifest.digest, python, packages };
    const parts = { packaging, args, artifact, base: described, installed: difference.install, server };
    await keepDescription(deps, digest, await describeImage({ ...parts, steps: await deps.lineage.steps() }));
    return { image, digest, environment: environment.name, artifactDigest: artifact.sha256 };
  });
}

/** The Python of the platform's own toolchain, for artifacts that do not say theirs. */
const DEFAULT_PYTHON = '3.11';

async function openPythonBase(
  deps: ImageAssemblyDeps,
  { ref, connections, step: { packaging, signal, say } }: ImageAssembly,
  { dockerfileBaseImage }: MergedArguments,
  { python = DEFAULT_PYTHON }: Artifact,
): Promise<BaseImage> {
  const { engine, objects, imageMirrors, openSecret } = deps;
  const named = dockerfileBaseImage ?? `python:${python}-slim`;
  const reference = mirrored(named, imageMirrors);
  const pull = await connections.target(packaging, 'container-pull');
  const auth = registryAuth(reference, pull, openSecret);
  const base = await openBase(deps, { reference, auth, signal, say, reason: 'ImagePullFailed' });
  const { digest } = base.image.manifest;
  const inspection = { kind: 'packaging' as const, ref, image: reference, digest, ensure: base.ensure, signal };
  return { ...base, reference: named, ...(await inspectBase(engine, objects, inspection)) };
}

/** A base of another Python is the caller's choice as long as it can hold the packages of the model. */
function explainOtherPython(base: BaseImage, artifact: Artifact): (err: unknown) => never {
  return (err) => {
    const failure = failureIn(err);
    if (failure?.reason !== 'PackagerFailed' || artifact.python === undefined || artifact.python === base.python)
      throw err;
    const message =
      `base image "${base.reference}" has Python ${base.python}, which cannot hold the packages of the model, trained with ` +
      `Python ${artifact.python}: leave out dockerfileBaseImage, or name an image of Python ${artifact.python}; ${failure.message}`;
    throw runFailed({ ...failure, message }, err);
  };
}

function missingTarget(id: string): Error {
  const message = `packaging "${id}" has no target container-push: name the registry for its image under spec.targets`;
  return runFailed({ reason: 'PackagerFailed', message });
}

function imageName(
  { imageName: template }: MergedArguments,
  { name, version }: Artifact,
  push: Connection,
  uuid: string,
): string {
  try {
    return fullImageName(template, { Name: name, Version: version, RandomUUID: uuid }, push.spec.uri);
  } catch (err) {
    throw runFailed({ reason: 'PackagerFailed', message: err instanceof Error ? err.message : String(err) }, err);
  }
}

/** An image in place of an environment would be below the models of others. */
function requireOwnName(image: string, environments: OpenedRepository): void {
  const { name } = parseImageReference(image);
  if (!isPlatformRepository(name, environments)) return;
  const message = `image name "${image}" is not allowed: the platform keeps images of its own in ${name}; choose another imageName`;
  throw runFailed({ reason: 'PackagerFailed', message });
}

function reportDifference(say: LogSink, base: BaseImage, { added, changed, kept }: PackageDifference): void {
  const counts = `${kept.length} packages kept, ${changed.length} changed, ${added.length} added`;
  say(`INFO base ${base.reference}, Python ${base.python}: ${counts}`);
  if (changed.length > 0) say(`INFO the model's version wins: ${changed.join(', ')}`);
  if (added.length > 0) say(`INFO added: ${added.join(', ')}`);
}
