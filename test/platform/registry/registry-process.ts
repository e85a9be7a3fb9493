import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTestPortBase } from '../../stack/port-base.js';
import { eventually } from '../engines/harness.js';

export interface RegistryProcess {
  /** `host:port` */
  host: string;
  folder: string;
  kill(): Promise<void>;
  /** On the same port, with its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A registry of its own, of the stack's program, whose settings a test may add to. */
export async function startRegistry(
  settings: (folder: string) => Promise<Record<string, unknown>> = async () => ({}),
): Promise<RegistryProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-registry-'));
  const host = `127.0.0.1:${await findTestPortBase()}`;
  const file = join(folder, 'config.yaml');
  const common = {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: host },
  };
  await writeFile(file, JSON.stringify({ ...common, ...(await settings(folder)) })); // JSON is YAML too
  let end = await run(file, host);
  return {
    host,
    folder,
    kill: () => end('SIGKILL'),
    restart: async () => void (end = await run(file, host)),
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}

async function run(file: string, host: string) {
  const env = { ...process.env, OTEL_TRACES_EXPORTER: 'none' };
  const child = spawn('docker-registry', ['serve', file], { env, stdio: 'ignore' });
  await once(child, 'spawn');
  await eventually(() => answers(host));
  return async (signal: NodeJS.Signals): Promise<void> => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill(signal);
    await ended;
  };
}

const answers = (host: string): Promise<true | undefined> =>
  fetch(`http://${host}/v2/`).then(
    ({ status }) => (status === 200 || status === 401 ? true : undefined),
    () => undefined,
  );
