import { failureIn, runFailed } from '../../platform/kinds/reasons.js';
import type { LogSink } from '../../platform/engines/driver.js';
import { openBase } from '../shared/base.js';
import type { Artifact } from '../training/artifact.js';
import { type BaseImage, inspectBase } from './base-image.js';
import type { ImageAssembly, ImageAssemblyDeps } from './image-request.js';
import type { PackageDifference } from './packages.js';
import { mirrored } from './registry.js';

/** The Python of the platform's own toolchain, for artifacts that do not say theirs. */
const DEFAULT_PYTHON = '3.11';

/** The base image of models of a Python, when no other is named. */
export const pythonImage = (python = DEFAULT_PYTHON): string => `python:${python}-slim`;

/** Opens a base image by its name or that of its mirror, and lists its packages. */
export async function openPythonBase(
  deps: ImageAssemblyDeps,
  { ref, connections, step: { packaging, signal, say } }: ImageAssembly,
  named: string,
): Promise<BaseImage> {
  const { engine, objects, imageMirrors, registryAuth } = deps;
  const reference = mirrored(named, imageMirrors);
  const pull = await connections.target(packaging, 'container-pull');
  const reason = 'ImagePullFailed';
  const auth = await registryAuth(reference, pull, { reason });
  const base = await openBase(deps, { reference, auth, signal, say, reason });
  const { digest } = base.image.manifest;
  const inspection = { kind: 'packaging' as const, ref, image: reference, digest, ensure: base.ensure, signal };
  return { ...base, reference: named, ...(await inspectBase(engine, objects, inspection)) };
}

/** A base of another Python is the caller's choice as long as it can hold the packages of the model. */
export function explainOtherPython(base: BaseImage, artifact: Artifact): (err: unknown) => never {
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

export function reportDifference(say: LogSink, base: BaseImage, { added, changed, kept }: PackageDifference): void {
  const counts = `${kept.length} packages kept, ${changed.length} changed, ${added.length} added`;
  say(`INFO base ${base.reference}, Python ${base.python}: ${counts}`);
  if (changed.length > 0) say(`INFO the model's version wins: ${changed.join(', ')}`);
  if (added.length > 0) say(`INFO added: ${added.join(', ')}`);
}
