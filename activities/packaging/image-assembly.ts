import type { Connection } from '../../lifecycle/kinds/connection.js';
import { type BuiltInPackager, builtInPackager } from '../../lifecycle/kinds/packager.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Image } from '../../platform/registry/image.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { findIntegration } from '../shared/integrations.js';
import type { RegistryDeps } from '../shared/platform-repository.js';
import type { PythonInstaller } from '../shared/python-installer.js';
import { withScratchFolder } from '../training/workspace.js';
import { keepDescription } from './image-attestation.js';
import { describeImage, type ImageParts } from './image-description.js';
import { assembleCommandLine, assembleRest } from './model-assembly.js';
import type { PackagingConnections } from './packaging-connections.js';
import type { PackagingStep } from './packaging-step.js';
import { assembleRegistered } from './registered-assembly.js';
import { assembleTensor } from './tensor-assembly.js';

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

type PackedImage =
  | {
      /** Part of the tag. */
      uuid: string;
    }
  | {
      /** Full name with tag. */
      image: string;
    };

type Request = { ref: RunRef; connections: PackagingConnections; step: PackagingStep } & PackedImage;

/** A request with all that every packager needs. */
export type ImageAssembly = Request & {
  /** `undefined` when it was deleted meanwhile. */
  integration: PackagingIntegration | undefined;
  push: Connection;
  /** Folder that is removed afterwards. */
  scratch: string;
};

/** The product of a packager. */
export interface AssembledImage {
  /** Full name with tag. */
  name: string;
  image: Image;
  /** Name of the image below the model. */
  environment: string;
  /** For the statements about the image. */
  parts: ImageParts;
}

type Assemble = (deps: ImageAssemblyDeps, assembly: ImageAssembly) => Promise<AssembledImage>;

/**
 * Makes the image of an artifact by the packager that the packaging names, and pushes it by its digest.
 * @throws run_failed: ArtifactNotFound, ImagePullFailed, PackagerFailed, PushFailed
 */
export async function assembleFromArtifact(
  deps: ImageAssemblyDeps,
  request: Request,
): Promise<BuiltImage & { digest: string }> {
  const { connections, step, ref } = request;
  const { packaging } = step;
  const { integrationName } = packaging.spec;
  const integration = await findIntegration(deps.integrations, 'packager', integrationName);
  const push = await connections.target(packaging, 'container-push');
  if (!push) throw missingTarget(ref.id);
  const assemble = packagerOf(integrationName, integration);
  return withScratchFolder(async (scratch) => {
    const { name, image, environment, parts } = await assemble(deps, { ...request, integration, push, scratch });
    const { digest } = image.manifest;
    const description = await describeImage({ packaging, parts, steps: await deps.lineage.steps() });
    await keepDescription(deps, digest, description);
    return { image: name, digest, environment, artifactDigest: parts.artifact.sha256 };
  });
}

const ASSEMBLIES: Readonly<Record<BuiltInPackager, Assemble>> = {
  'container-rest': assembleRest,
  'container-cli': assembleCommandLine,
  'container-tensor': assembleTensor,
};

/** The platform's own packagers are named by the entry point of an integration; any other is a program of its image. */
function packagerOf(name: string, integration: PackagingIntegration | undefined): Assemble {
  const packager = builtInPackager(integration?.spec.entrypoint ?? name);
  if (packager !== undefined) return ASSEMBLIES[packager];
  if (integration !== undefined) return assembleRegistered;
  const message = `packaging integration "${name}" was deleted after the packaging started: create it again and rerun the packaging`;
  throw runFailed({ reason: 'PackagerFailed', message });
}

function missingTarget(id: string): Error {
  const message = `packaging "${id}" has no target container-push: name the registry for its image under spec.targets`;
  return runFailed({ reason: 'PackagerFailed', message });
}
