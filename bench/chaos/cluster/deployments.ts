import { setTimeout as sleep } from 'node:timers/promises';
import { accepted, type PatientClient } from './patient-client.js';
import type { ServiceLog } from './service-log.js';

const PATH = '/api/v1/model/deployment';
const POLL_MS = 500;

interface Deployment {
  generation: number;
  spec: { image: string };
  status: { state: string; reason?: string; message?: string };
}

export interface DeploymentsOptions {
  client: PatientClient;
  log: ServiceLog;
  /** Ends waits for a state. */
  signal: AbortSignal;
  report: (line: string) => void;
}

/** The operations on deployments; each wait for a state is recorded in the log. */
export function createDeployments({ client, log, signal, report }: DeploymentsOptions) {
  const specOf = (image: string): object => ({
    ...{ image, predictor: 'platform-ml-server', minReplicas: 1, feedback: false, readinessProbeInitialDelay: 0 },
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '1', memory: '128Mi' } },
  });

  async function read(id: string): Promise<Deployment | undefined> {
    const answer = await client.call<Deployment>('GET', `${PATH}/${id}`);
    return answer.status === 404 ? undefined : accepted(answer, id);
  }

  return {
    async create(id: string, image: string): Promise<number> {
      // A request that arrives late, after the deletion, is a repeat and not another creation.
      const once = { 'idempotency-key': id };
      const answer = await client.call('POST', PATH, { id, spec: specOf(image) }, once);
      if (answer.status !== 409) accepted(answer, `the creation of ${id}`);
      return 1;
    },
    /** Changes the image, once: a request that arrives late, after its repeat, is of an older generation. */
    async update(id: string, generation: number, image: string): Promise<number> {
      const ifMatch = { 'if-match': `"${generation}"` };
      const answer = await client.call<Deployment>('PUT', PATH, { id, spec: specOf(image) }, ifMatch);
      if (answer.status !== 412) return accepted(answer, `the update of ${id}`).generation;
      const found = await read(id);
      if (found?.spec.image !== image) throw new Error(`${id} was changed by another client`);
      return found.generation;
    },
    /** @returns whether it got ready */
    async untilReady(id: string, generation: number): Promise<boolean> {
      for (;;) {
        const found = await read(id);
        if (found?.generation === generation && found.status.state === 'Ready') {
          log.ready(id, generation);
          return true;
        }
        if (found?.generation === generation && found.status.state === 'Failed') {
          report(`${id} generation ${generation} failed: ${found.status.reason}: ${found.status.message}`);
          log.failed();
          return false;
        }
        await sleep(POLL_MS, undefined, { signal });
      }
    },
    async remove(id: string): Promise<void> {
      const answer = await client.call('DELETE', `${PATH}/${id}`);
      if (answer.status !== 404) accepted(answer, `the deletion of ${id}`);
      while ((await read(id)) !== undefined) await sleep(POLL_MS, undefined, { signal });
      log.gone(id);
    },
  };
}
export type Deployments = ReturnType<typeof createDeployments>;
