import { type BuiltInPackager, builtInPackager } from '../../lifecycle/kinds/packager.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { findIntegration } from '../shared/integrations.js';
import { noteModelImage } from '../shared/model-images.js';
import { withScratchFolder } from '../training/workspace.js';
import { keepDescription } from './image-attestation.js';
import { describeImage } from './image-description.js';
import type { AssembledImage, ImageAssembly, ImageAssemblyDeps, ImageRequest } from './image-request.js';
import { assembleCommandLine, assembleRest } from './model-assembly.js';
import { assembleRegistered } from './registered-assembly.js';
import { assembleTensor } from './tensor-assembly.js';

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

type Assemble = (deps: ImageAssemblyDeps, assembly: ImageAssembly) => Promise<AssembledImage>;

/**
 * Makes the image of an artifact by the packager that the packaging names, and pushes it by its digest.
 * @throws run_failed: ArtifactNotFound, ImagePullFailed, PackagerFailed, PushFailed
 */
export async function assembleFromArtifact(
  deps: ImageAssemblyDeps,
  request: ImageRequest,
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
    await noteModelImage(deps, parseImageReference(name).name, digest);
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
