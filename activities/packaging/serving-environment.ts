import type { EngineDriver } from '../../platform/engines/driver.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { type EnvironmentImage, makeEnvironmentImage } from '../shared/environment-image.js';
import { installerKey, packageDigest, type PythonInstaller, sha256 } from '../shared/python-installer.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import type { BaseImage } from './base-image.js';
import type { PackageDifference } from './packages.js';

interface ServingEnvironment {
  ref: RunRef;
  base: BaseImage;
  difference: PackageDifference;
  installer: PythonInstaller;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  log: LogWriter;
  signal: AbortSignal;
  pollMs?: number;
}

const CONFIG: EnvironmentImage['config'] = {
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
export async function ensureServingEnvironment(engine: EngineDriver, environment: ServingEnvironment): Promise<string> {
  const { ref, base, difference, installer, server, log, signal, pollMs = 500 } = environment;
  const lock = difference.install;
  const made = [await installerKey(engine, installer, signal), await packageDigest(server), JSON.stringify(CONFIG)];
  const tag = `slipway.local/serving:${sha256([base.id, ...lock, ...made].join('\n')).slice(0, 32)}`;
  if (await engine.inspectImage(tag)) return tag;
  const image: EnvironmentImage = {
    ...{ kind: 'packaging', ref, base: base.id, tag, lock, server, config: CONFIG, installer },
    reason: 'PackagerFailed',
  };
  await makeEnvironmentImage(engine, image, { log, signal, pollMs, beat: () => undefined });
  return tag;
}
