import type { EngineDriver } from '../../platform/engines/driver.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { ImageSettings } from '../../platform/registry/assemble.js';
import type { Image } from '../../platform/registry/image.js';
import { openImage } from '../../platform/registry/open-image.js';
import type { Repository } from '../../platform/registry/repository.js';
import { makeEnvironmentImage } from '../shared/environment-image.js';
import { installerKey, packageDigest, type PythonInstaller, sha256 } from '../shared/python-installer.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import type { BaseImage } from './base-image.js';
import type { PackageDifference } from './packages.js';

interface ServingEnvironment {
  ref: RunRef;
  base: BaseImage;
  /** The repository that keeps environments. */
  target: Repository;
  difference: PackageDifference;
  installer: PythonInstaller;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  log: LogWriter;
  signal: AbortSignal;
  pollMs?: number;
}

const SETTINGS: ImageSettings = {
  env: {
    PATH: '/opt/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPYCACHEPREFIX: '/opt/env/bytecode',
  },
  workingDir: '/app',
  user: '10001:0',
  command: ['python', '-m', 'slipway_server'],
};

/**
 * The image below every model with this base and lock: base, `/opt/env` with what differs, `/opt/server` with the model
 * server. Made once; a changed model pushes none of it again.
 */
export async function ensureServingEnvironment(
  engine: EngineDriver,
  environment: ServingEnvironment,
): Promise<{ name: string; image: Image }> {
  const { ref, base, target, difference, installer, server, log, signal, pollMs = 500 } = environment;
  const lock = difference.install;
  const made = [await installerKey(engine, installer, signal), await packageDigest(server), JSON.stringify(SETTINGS)];
  const tag = sha256([base.image.manifest.digest, ...lock, ...made].join('\n')).slice(0, 32);
  const reason = 'PackagerFailed';
  const name = `${target.name}:${tag}`;
  const present = await openImage(target, tag, { reason });
  if (present) return { name, image: present };
  const wanted = { kind: 'packaging' as const, ref, base, target, tag, lock, server, settings: SETTINGS, installer };
  const watch = { log, signal, pollMs, beat: () => undefined };
  return { name, image: await makeEnvironmentImage(engine, { ...wanted, reason }, watch) };
}
