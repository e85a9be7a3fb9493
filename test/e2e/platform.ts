import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../config.js';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { createGcsObjects } from '../../platform/stores/gcs-objects.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import type { PlatformProcess } from '../../workers/compose/keep-running.js';
import { PROCESSES, type ProcessName, startProcess } from '../../workers/compose/supervisor.js';
import { openEngine } from '../../workers/compose/engine.js';
import { findTestPortBase } from '../stack/port-base.js';
import { registerNamespace } from '../stack/temporal-namespace.js';
import { placeWorkflowBundle } from '../stack/workflow-bundle.js';

/** The platform's processes on the test stack, with a database, bucket, namespace and ports of their own. */
export async function startTestPlatform(overrides: Record<string, string> = {}) {
  const id = randomUUID().slice(0, 8);
  const folder = await mkdtemp(join(tmpdir(), 'slipway-e2e-'));
  await placeWorkflowBundle(folder);
  const base = await findTestPortBase();
  const { STORAGE_API_ENDPOINT: apiEndpoint, OIDC_ISSUER: issuer = '' } = process.env;
  const bucket = `e2e-${id}`;
  const baseUrl = `http://127.0.0.1:${base}`;
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_OPTIONS: '',
    TEMPORAL_NAMESPACE: await registerNamespace(`e2e-${id}`),
    SLIPWAY_DATABASE: `e2e_${id}`,
    SLIPWAY_BUCKET: bucket,
    SLIPWAY_STATE_DIR: folder,
    SLIPWAY_LOCAL_REPOSITORIES: folder,
    SLIPWAY_GATEWAY_PORT: String(base),
    SLIPWAY_API_PORT: String(base + 1),
    SLIPWAY_API_INTERNAL_PORT: String(base + 8),
    SLIPWAY_GATEWAY_INTERNAL_PORT: String(base + 9),
    SLIPWAY_WORKER_INTERNAL_PORT: String(base + 2),
    SLIPWAY_BASE_URL: baseUrl,
    SLIPWAY_RECORD_SECONDS: '1',
    SLIPWAY_SWEEP_SECONDS: '2',
    SLIPWAY_GUARD_SECONDS: '2', // replaced replicas go soon
    SLIPWAY_BUILT_IN_DATASETS: 'false', // tests declare their own under these names
    ...overrides,
  };
  const options = { environment, logDir: join(folder, 'logs'), report: () => undefined };
  const started = await Promise.all(PROCESSES.map(async (name) => [name, await startProcess(name, options)] as const));
  const processes = Object.fromEntries(started) as Record<ProcessName, PlatformProcess>;
  const settings = parseSettings(environment);
  const database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const engine = await openEngine(settings, database);
  await database.close();
  const login = async (client: string) =>
    createClient({ baseUrl, token: await fetchToken(issuer, `demo-${client}`, `demo-${client}-secret`) });

  return {
    folder,
    baseUrl,
    environment,
    processes,
    options,
    engine,
    login,
    objects: createGcsObjects({ bucket, apiEndpoint }),
    admin: await login('admin'),
    /** Sends a signal to a process; its supervisor starts it again. */
    signal(name: ProcessName, signal: NodeJS.Signals): void {
      const { pid } = processes[name];
      if (pid !== undefined) process.kill(pid, signal);
    },
    async stop(): Promise<void> {
      await Promise.all(Object.values(processes).map((each) => each.stop()));
      for (const handle of await engine.find({})) await engine.remove(handle);
      await rm(folder, { recursive: true, force: true });
    },
    newId: (word: string): string => `${word}-${randomUUID().slice(0, 8)}`,
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>;
