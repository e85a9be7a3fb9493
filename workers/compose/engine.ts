import { createHash } from 'node:crypto';
import type { Settings } from '../../config.js';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../platform/engines/docker/engine.js';
import type { EngineDriver } from '../../platform/engines/driver.js';

/**
 * The engine as this installation sees it: its own containers alone, so that two installations on one engine never
 * take each other's for orphans. The database is what makes an installation.
 */
export function openEngine(settings: Settings, warn?: (message: string) => void): EngineDriver {
  const { MONGODB_URI, SLIPWAY_DATABASE, DOCKER_HOST } = settings;
  const installation = createHash('sha256').update(`${MONGODB_URI}\n${SLIPWAY_DATABASE}`).digest('hex').slice(0, 12);
  return createDockerEngine({ docker: connectDocker(DOCKER_HOST), installation, warn });
}
