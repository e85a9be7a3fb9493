import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { containerName, type RunKind, type RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { jobEnvironment, removeUnlessAborted, WORKSPACE } from './job.js';

/** How packages are resolved and installed, always inside the container of a job. */
export interface PythonInstaller {
  /** Folder of the Python package `slipway_runner`, which drives uv. */
  runner: string;
  /** Image that holds uv. */
  builderImage: string;
  /** Package index; default PyPI. */
  pythonIndex?: string;
  /** Packages without a wheel are built, which runs code of theirs. */
  allowSourcePackages?: boolean;
}

const UV = '/usr/local/bin/uv';
const UV_FOLDER = `${WORKSPACE}/.slipway`;

/** Limits of a container that resolves or installs packages. */
export const INSTALL_LIMITS = { cpus: 2, memoryBytes: 2 * 2 ** 30 };

/** Environment of a container that resolves or installs packages. */
export function installerVariables({ pythonIndex, allowSourcePackages }: PythonInstaller): Record<string, string> {
  return {
    ...jobEnvironment(INSTALL_LIMITS.cpus),
    SLIPWAY_UV: `${UV_FOLDER}/uv`,
    ...(pythonIndex !== undefined && { UV_DEFAULT_INDEX: pythonIndex }),
    ...(allowSourcePackages && { SLIPWAY_ALLOW_SOURCE_PACKAGES: 'true' }),
  };
}

interface Run {
  kind: RunKind;
  ref: RunRef;
  signal: AbortSignal;
}

/** Puts the platform's uv into a new container, read from the builder image without starting it. */
export async function putUv(
  engine: EngineDriver,
  target: Handle,
  { kind, ref, signal, builderImage }: Run & Pick<PythonInstaller, 'builderImage'>,
): Promise<void> {
  await engine.ensureImage(builderImage, undefined, signal);
  const { handle } = await engine.create({
    name: containerName(kind, ref, 'uv'),
    image: builderImage,
    command: ['true'],
    env: {},
    labels: { kind, id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'uv' },
    network: 'none',
    limits: INSTALL_LIMITS,
  });
  try {
    const archive = await engine.getArchive(handle, UV).catch((err: unknown) => {
      const message = `image "${builderImage}" has no ${UV}: name one that has it in SLIPWAY_BUILDER_IMAGE`;
      throw runFailed({ reason: 'ToolchainFailed', message }, err);
    });
    await engine.putArchive(target, UV_FOLDER, archive);
  } finally {
    await removeUnlessAborted(engine, handle, signal);
  }
}

/** Fingerprint of all that decides how a lock is installed. */
export async function installerKey(
  engine: EngineDriver,
  { builderImage, runner, allowSourcePackages = false }: PythonInstaller,
  signal: AbortSignal,
): Promise<string> {
  const { id } = await engine.ensureImage(builderImage, undefined, signal);
  const sources = ['install.py', 'uv.py'].map((name) => readFile(join(runner, name), 'utf8'));
  return sha256([id, String(allowSourcePackages), ...(await Promise.all(sources))].join('\n'));
}

/** Fingerprint of the sources of a Python package. */
export async function packageDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(py|lock)$/.test(name)).sort();
  for (const name of names) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest('hex');
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
