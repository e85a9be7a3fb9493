import { createHash } from 'node:crypto';
import type { Settings } from '../../config.js';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../platform/engines/docker/engine.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Database } from '../../platform/stores/database.js';
import { installationId } from '../../platform/stores/installation.js';

/**
 * The engine as this installation sees it: its own containers alone, so that two installations on one engine never
 * take each other's for orphans. The database is what makes an installation, whatever its address and password.
 */
export async function openEngine(
  settings: Settings,
  database: Database,
  warn?: (message: string) => void,
): Promise<EngineDriver> {
  const { MONGODB_URI, SLIPWAY_DATABASE, DOCKER_HOST, DOCKER_CERT_PATH } = settings;
  // 0.1.0 kept no id, and labeled its containers with this one.
  const choice = createHash('sha256').update(`${MONGODB_URI}\n${SLIPWAY_DATABASE}`).digest('hex').slice(0, 12);
  const installation = await installationId(database, choice);
  return createDockerEngine({ docker: connectDocker(DOCKER_HOST, DOCKER_CERT_PATH), installation, warn });
}
