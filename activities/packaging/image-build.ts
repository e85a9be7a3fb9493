import { join } from 'node:path';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { fullImageName } from '../../lifecycle/kinds/image-name.js';
import type { RestArguments } from '../../lifecycle/kinds/packaging-arguments.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { EngineDriver, LogSink } from '../../platform/engines/driver.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { findIntegration } from '../shared/integrations.js';
import type { PythonInstaller } from '../shared/python-installer.js';
import { logDuration } from '../shared/log-duration.js';
import { type Artifact, openArtifact } from '../training/artifact.js';
import { withScratchFolder } from '../training/workspace.js';
import { type BaseImage, inspectBase } from './base-image.js';
import { ARTIFACT_FOLDER, buildModelImage } from './model-image.js';
import { comparePackages, type PackageDifference } from './packages.js';
import { mergeArguments } from './packaging-arguments.js';
import type { PackagingConnections } from './packaging-connections.js';
import type { PackagingStep } from './packaging-step.js';
import { mirrored, registryAuth } from './registry.js';
import { ensureServingEnvironment } from './serving-environment.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';

export interface ImageBuildDeps extends PythonInstaller {
  integrations: ResourceStore<PackagingIntegration>;
  engine: EngineDriver;
  /** The platform's bucket: caches only. */
  objects: ObjectStore;
  openSecret: OpenSecret;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  imageMirrors: Readonly<Record<string, string>>;
}

/** A model image that is built and not pushed yet. */
export interface BuiltImage {
  /** Full name with tag. */
  image: string;
  /** Image with everything but the model. */
  environment: string;
  sizeBytes: number;
  /** Both absent in histories of an earlier release. */
  imageId?: string;
  artifactDigest?: string;
}

interface ImageBuild {
  ref: RunRef;
  /** Part of the tag. */
  uuid: string;
  connections: PackagingConnections;
  step: PackagingStep;
}

/**
 * Builds the environment of an artifact, then the model on top.
 * @throws run_failed: ArtifactNotFound, ImagePullFailed, PackagerFailed
 */
export async function buildFromArtifact(deps: ImageBuildDeps, build: ImageBuild): Promise<BuiltImage> {
  const { connections, step, ref, uuid } = build;
  const { packaging, say, signal, log } = step;
  const { engine, server } = deps;
  const { integrationName, artifactName } = packaging.spec;
  const args = mergeArguments(packaging, await findIntegration(deps.integrations, 'packager', integrationName));
  const push = await connections.target(packaging, 'container-push');
  if (!push) throw missingTarget(ref.id);
  return withScratchFolder(async (context) => {
    const artifact = await logDuration(say, 'artifact fetched', async () =>
      openArtifact(await connections.openOutput(packaging), artifactName, join(context, ARTIFACT_FOLDER)),
    );
    signal.throwIfAborted(); // object storage is read without a signal
    const base = await logDuration(say, 'base image inspected', () => openBase(deps, build, args));
    const difference = comparePackages(artifact.lock, base.packages);
    reportDifference(say, base, difference);
    const environment = await logDuration(say, 'environment ready', () =>
      ensureServingEnvironment(engine, { ref, base, difference, server, installer: deps, log, signal }),
    );
    const image = imageName(args, artifact, push, uuid);
    const request = {
      log: say,
      signal,
      base,
      artifact,
      environment,
      image,
      serving: args,
      packagingId: ref.id,
      context,
    };
    const { id, sizeBytes } = await logDuration(say, 'image built', () => buildModelImage(engine, request));
    return { image, environment, sizeBytes, imageId: id, artifactDigest: artifact.sha256 };
  });
}

async function openBase(
  { engine, objects, imageMirrors, openSecret }: ImageBuildDeps,
  { ref, connections, step: { packaging, signal } }: ImageBuild,
  { dockerfileBaseImage }: RestArguments,
): Promise<BaseImage> {
  const image = mirrored(dockerfileBaseImage, imageMirrors);
  const pull = await connections.target(packaging, 'container-pull');
  const facts = await engine.ensureImage(image, registryAuth(image, pull, openSecret), signal);
  return inspectBase(engine, objects, { kind: 'packaging', ref, image, facts, signal });
}

function missingTarget(id: string): Error {
  const message = `packaging "${id}" has no target container-push: name the registry for its image under spec.targets`;
  return runFailed({ reason: 'PackagerFailed', message });
}

function imageName(
  { imageName: template }: RestArguments,
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

function reportDifference(say: LogSink, base: BaseImage, { added, changed, kept }: PackageDifference): void {
  const counts = `${kept.length} packages kept, ${changed.length} changed, ${added.length} added`;
  say(`INFO base ${base.image}, Python ${base.python}: ${counts}`);
  if (changed.length > 0) say(`INFO the model's version wins: ${changed.join(', ')}`);
  if (added.length > 0) say(`INFO added: ${added.join(', ')}`);
}
