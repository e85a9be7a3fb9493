import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import { engineEnvironment, engineHost, placeEngine } from '../../../stack/engine-settings.js';
import { findTestPortBase } from '../../stack/port-base.js';
import { STATE_DIR } from '../../stack/test-stack.js';
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
  const folder = await mkdtemp(join(tmpdir(), 'slipway-registry-'));
  const host = `127.0.0.1:${await findTestPortBase()}`;
  await writeFile(join(folder, 'htpasswd'), HTPASSWD);
  const settings = {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    auth: { htpasswd: { realm: 'slipway', path: join(folder, 'htpasswd') } },
    http: { addr: host },
  };
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(settings)); // JSON is YAML too
  const environment = { OTEL_TRACES_EXPORTER: 'none' };
  const stopRegistry = await start('docker-registry', ['serve', join(folder, 'config.yaml')], environment);
  await eventually(() => asks(host));
  const { docker, stop: stopEngine } = await engineFor(host, folder);
  return {
    host,
    user: USER,
    engine: createDockerEngine({ docker }),
    async stop() {
      await stopEngine();
      await stopRegistry();
      await rm(folder, { recursive: true });
    },
  };
}

const asks = (host: string): Promise<true | undefined> =>
  fetch(`http://${host}/v2/`).then(
    ({ status }) => (status === 401 ? true : undefined),
    () => undefined,
  );
