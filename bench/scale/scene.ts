import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack, stackStatus } from '../../stack/stack.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { createTemporalClient } from '../../workers/compose/temporal.js';
import { startProgram } from '../start-program.js';
import { TOOLCHAIN_IMAGE } from './programs.js';

export const report = (line: string): void => console.error(line);

interface SceneOptions {
  /** Settings beside those of every scene; the folder is the scene's own. */
  settings?: (folder: string) => NodeJS.ProcessEnv;
  /** How long the engine takes. */
  times?: { resolveMs: number; trainMs: number };
}

interface EngineCounts {
  containers: number;
  counts: Record<string, number>;
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Runs `work` on a platform of its own, which is removed afterwards, also after an interrupt. */
export async function withScene(options: SceneOptions, work: (scene: Scene) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stopped = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        stopping.abort(new Error('stopped'));
        reject(new Error('stopped'));
      });
  });
  stopped.catch(() => undefined);
  const scene = await openScene(options, stopping.signal);
  try {
    await Promise.race([work(scene), stopped]);
  } finally {
    await scene.close();
  }
}

/** The platform with its own processes and stack; its container engine alone is a double. */
async function openScene({ settings, times }: SceneOptions, signal: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-scale-'));
  const stateDir = join(folder, 'state');
  const { resolveMs, trainMs } = times ?? { resolveMs: 0, trainMs: 0 };
  const engine = await startProgram(new URL('engine-process.ts', import.meta.url), [
    ...[resolveMs, trainMs].map(String),
  ]);
  const [{ host }] = (await once(engine, 'message')) as [{ host: string }];
  const environment = {
    ...process.env,
    ...{ SLIPWAY_STATE_DIR: stateDir, SLIPWAY_PORT_BASE: String(await findFreePortBase()) },
    // With these three the embedded stack has no engine of its own.
    ...{ DOCKER_HOST: host, SLIPWAY_TOOLCHAIN_IMAGE: TOOLCHAIN_IMAGE, SLIPWAY_REGISTRY: '127.0.0.1:1/bench' },
    SLIPWAY_BUILDER_IMAGE: TOOLCHAIN_IMAGE,
    ...settings?.(folder),
  };
  const clean = async (): Promise<void> => {
    engine.kill();
    await resetStack({ stateDir, report });
    await rm(folder, { recursive: true, force: true });
  };
  const platform = await startPlatform({ environment, report, signal }).catch(async (err: unknown) => {
    await clean();
    throw err;
  });
  const { settings: found, processes } = platform;
  const database = await connectDatabase(found.MONGODB_URI, found.SLIPWAY_DATABASE);
  const temporal = createTemporalClient(found);

  return {
    folder,
    platform,
    database,
    temporal,
    /** Logs in; a token lasts for an hour. */
    login: async () => {
      const token = await fetchToken(found.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
      return createClient({ baseUrl: found.SLIPWAY_BASE_URL, token });
    },
    /** The calls that the engine and the models have answered. */
    engineCounts: async (): Promise<EngineCounts> => {
      engine.send('counts');
      return ((await once(engine, 'message')) as [EngineCounts])[0];
    },
    /** The id of every process, by name. */
    async pids(): Promise<Record<string, number>> {
      const services = (await stackStatus({ stateDir })).map(({ name, pid }) => [name, pid] as const);
      const own = Object.entries(processes).map(([name, { pid }]) => [name, pid] as const);
      const known = [...own, ...services, ['engine double', engine.pid] as const];
      return Object.fromEntries(known.filter((each): each is [string, number] => each[1] !== undefined));
    },
    async close(): Promise<void> {
      await temporal.connection.close();
      await database.close();
      await platform.stop();
      await clean();
    },
  };
}

/** The load of the machine, which the figures depend on. */
export const machineLoad = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
