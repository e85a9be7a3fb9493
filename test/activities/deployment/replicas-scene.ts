import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startReplica } from '../../../activities/deployment/replica.js';
import { superviseReplicas, type Supervisor } from '../../../activities/deployment/supervisor.js';
import { containerName } from '../../../platform/kinds/ids.js';
import type { Replica } from '../../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../../lifecycle/kinds/revision.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { PATIENT } from '../../patient-server.js';
import { createMemoryEngine, type MemoryContainer } from '../shared/memory-engine.js';

export const REF = { id: 'wine', uid: '0d5b2a5e-7f2c-4a31-9f3e-0d2a5b7c9e11', generation: 3 };
export const REVISION: Revision = {
  ref: REF,
  image: 'wine:3',
  roleName: 'r',
  feedback: true,
  replicas: 1,
  limits: { cpus: 1, memoryBytes: 1 },
  readinessDelay: 0,
  port: 5_000,
  timeoutSeconds: 60,
  modelName: 'wine',
  modelVersion: '1',
};

/** A model server that a test makes ill. */
export async function startModel() {
  const model = { status: 200, hangs: false, location: '', body: '{"info":{"title":"wine"}}', probes: 0 };
  const server = createServer(PATIENT, (request, response) => {
    if (request.url === '/healthz/ready') model.probes += 1;
    if (!model.hangs)
      response.writeHead(model.status, model.location === '' ? {} : { location: model.location }).end(model.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { model, address };
}

export async function startScene({ replicas = 1, ...options }: Partial<Supervisor> & { replicas?: number } = {}) {
  const { model, address } = await startModel();
  const started: MemoryContainer[] = [];
  const onStart = (container: MemoryContainer): void => {
    container.state = { phase: 'running', startedAt: new Date().toISOString(), ports: { 5_000: address } };
    started.push(container);
  };
  const memory = createMemoryEngine({ onStart });
  const revision = { ...REVISION, replicas };
  for (let index = 0; index < replicas; index += 1) await startReplica(memory.engine, revision, index);
  const logs = createLogs({ objects: createMemoryObjects(), flushMs: 5, pollMs: 5 });
  const stopping = new AbortController();
  const changes: Replica[][] = [];
  const supervisor = {
    engine: memory.engine,
    logs,
    revision,
    readySeconds: 60,
    pollMs: () => 5,
    backoffMs: 1,
    signal: stopping.signal,
    beat: () => {},
    onChange: async (ready: Replica[]) => void changes.push(ready),
    holdRoute: async () => {},
    mayRestart: async () => {},
    ...options,
  };
  const replica = (index = 0) => memory.container(containerName('deployment', REF, `r${index}`));
  /** Supervises until `until` holds, then as a worker that shuts down. */
  const supervise = async (until: () => boolean) => {
    const supervised = superviseReplicas(supervisor).catch((err: unknown) => err);
    const over = supervised.then(() => true);
    for (const deadline = Date.now() + 120_000; !until();) {
      if (Date.now() > deadline) throw new Error('waited in vain');
      if ((await Promise.race([over, sleep(2)])) === true) break;
    }
    stopping.abort(new Error('shutdown'));
    return supervised;
  };
  return { ...memory, model, logs, supervise, replica, started, changes, revision, stopping, address };
}
