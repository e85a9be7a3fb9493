import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import { engineEnvironment, engineHost, placeEngine } from '../../../stack/engine-settings.js';
import { STATE_DIR } from '../../stack/test-stack.js';
import { startRegistry } from '../registry/registry-process.js';
import { eventually } from './harness.js';

/** The user of the registry; bcrypt, the only form that it takes. */
const USER = { username: 'anna', password: 'open sesame' };
const HTPASSWD = 'anna:$2b$04$ZjLJcnArtYYKH3jMkfEIUOOoifXd6HVuQD55Wgsxj6.3.HkDXIx2e\n';

async function start(command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  await once(child, 'spawn');
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
}

/** An engine that takes `host` as a registry without TLS: Docker does for every loopback address, podman by its settings. */
async function engineFor(host: string, folder: string) {
  const used = process.env.DOCKER_HOST ?? '';
  const place = placeEngine(STATE_DIR);
  if (used !== engineHost(place)) return { docker: connectDocker(used), stop: async () => undefined };
  // A second service on the same images, with one more entry in its list of registries.
  const registries = join(folder, 'registries.conf');
  await copyFile(join(place.folder, 'registries.conf'), registries);
  await appendFile(registries, `[[registry]]\nlocation = "${host}"\ninsecure = true\n`);
  const address = `unix://${join(folder, 'engine.sock')}`;
  const stop = await start('podman', ['system', 'service', '--time', '0', address], {
    ...engineEnvironment(place),
    CONTAINERS_REGISTRIES_CONF: registries,
  });
  const docker = connectDocker(address);
  await eventually(() => docker.ping().catch(() => undefined));
  return { docker, stop };
}

/** A registry that asks for a password, and an engine that reaches it. */
export async function startAuthRegistry() {
  const registry = await startRegistry(async (folder) => {
    const path = join(folder, 'htpasswd');
    await writeFile(path, HTPASSWD);
    return { auth: { htpasswd: { realm: 'slipway', path } } };
  });
  const { docker, stop: stopEngine } = await engineFor(registry.host, registry.folder);
  return {
    host: registry.host,
    user: USER,
    engine: createDockerEngine({ docker }),
    async stop() {
      await stopEngine();
      await registry.stop();
    },
  };
}
