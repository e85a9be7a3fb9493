import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointStore } from '../../../lifecycle/stores/endpoints.js';
import type { EngineDriver } from '../../../platform/engines/driver.js';
import type { ContainerLog } from './container-log.js';
import { createDeployments } from './deployments.js';
import type { Load } from './load.js';
import type { ModelAnswer } from './model-image.js';
import type { PatientClient } from './patient-client.js';
import { compareService, createServiceLog, MOST_STALE_MS, type ServiceFigures } from './service-log.js';

export interface ServingFigures extends ServiceFigures {
  /** Updates and deletions that were accepted and did not come to their end. */
  lost: number;
  deleted: number;
  /** Routes and containers of deployments or generations that are no longer there, at the end. */
  ghostRoutes: number;
  ghostContainers: number;
}

interface Options {
  client: PatientClient;
  gateways: readonly string[];
  images: readonly string[];
  containers: ContainerLog;
  endpoints: Pick<EndpointStore, 'get' | 'list'>;
  engine: Pick<EngineDriver, 'find' | 'state'>;
  /** Deployments that are updated for ever; one more is created and deleted in turn. */
  updated: number;
  /** Between two invocations of one deployment at one gateway. */
  invokeMs: number;
  report: (line: string) => void;
}

const REST_MS = 3_000;
/** Deployments that are gone are asked for so long. */
const ASKED_AFTER_MS = 60_000;

/** Updates deployments back and forth, creates and deletes another, and invokes all of them at both gateways. */
export function startServing(options: Options): Load<ServingFigures> {
  const { client, gateways, images, containers, endpoints, engine, report } = options;
  const [ending, aborted] = [new AbortController(), new AbortController()];
  const log = createServiceLog();
  const deployments = createDeployments({ client, log, signal: aborted.signal, report });
  const asked = new Set<string>();
  /** Those that ought to answer. */
  const serving = new Set<string>();
  const prefix = `chaos-${Date.now()}`;
  /** Changes that were accepted and have not come to their end. */
  const open = new Set<string>();
  /** Containers of old generations whose route was noted. */
  const noted = new Set<string>();
  let deleted = 0;

  const imageOf = (turn: number): string => images[turn % images.length] ?? '';
  const rest = (): Promise<void> => sleep(REST_MS, undefined, { signal: ending.signal }).catch(() => {});
  /** A change counts as lost when it comes to no end. */
  async function accountFor(change: string, work: () => Promise<unknown>): Promise<void> {
    open.add(change);
    await work();
    open.delete(change);
  }

  async function updateForEver(id: string): Promise<void> {
    let generation = await deployments.create(id, imageOf(0));
    asked.add(id);
    for (let turn = 1; ; turn += 1) {
      const ready = () => deployments.untilReady(id, generation);
      await accountFor(`${id} generation ${generation}`, ready);
      serving.add(id);
      await rest();
      if (ending.signal.aborted) return;
      generation = await deployments.update(id, generation, imageOf(turn));
    }
  }

  async function createAndDelete(): Promise<void> {
    for (let turn = 1; !ending.signal.aborted; turn += 1) {
      const id = `${prefix}-short-${turn}`;
      asked.add(id);
      const generation = await deployments.create(id, imageOf(turn));
      await accountFor(`${id} generation ${generation}`, () => deployments.untilReady(id, generation));
      serving.add(id);
      await rest();
      serving.delete(id);
      await accountFor(`the deletion of ${id}`, () => deployments.remove(id));
      deleted += 1;
      setTimeout(() => asked.delete(id), ASKED_AFTER_MS).unref();
    }
  }

  async function invoke(gateway: string): Promise<void> {
    while (!aborted.signal.aborted) {
      await Promise.all([...asked].map((id) => invokeOnce(gateway, id)));
      await sleep(options.invokeMs, undefined, { signal: aborted.signal }).catch(() => {});
    }
  }
  async function invokeOnce(gateway: string, id: string): Promise<void> {
    const answer = await client
      .once<ModelAnswer>(gateway, 'POST', `/model/${id}/api/model/invoke`, {})
      .catch(() => undefined);
    if (answer?.status === 200) {
      log.answered({ id, gateway, ...answer.body });
      await noteRoute(id, answer.body.container);
    } else if (serving.has(id)) log.refused();
  }

  /** Reports the route when a container answers long after a newer generation was ready: what it names says why. */
  async function noteRoute(id: string, container: string): Promise<void> {
    const own = Number(/-(\d+)-r\d+$/.exec(container)?.[1]);
    const isLate = (at: number): boolean => Date.now() - at > MOST_STALE_MS;
    const isStale = log.records.ready.some((each) => each.id === id && each.generation > own && isLate(each.at));
    if (!isStale || noted.has(container)) return;
    noted.add(container);
    const { generation, epoch, replicas } = (await endpoints.get(id).catch(() => undefined)) ?? {};
    const state = await engine.state({ name: container }).catch(() => undefined);
    report(
      `${container} answers long after a newer generation was ready: ${JSON.stringify({ generation, epoch, replicas, state })}`,
    );
  }

  const ids = Array.from({ length: options.updated }, (_, n) => `${prefix}-${n + 1}`);
  const changing = Promise.all([...ids.map(updateForEver), createAndDelete()]);
  const invoking = Promise.all(gateways.map(invoke));
  let end: 'none' | 'reached' | Error = 'none';
  changing.then(
    () => (end = 'reached'),
    (err: unknown) => (end = err instanceof Error ? err : new Error(String(err))),
  );

  /** Names of routes and containers that belong to nothing that is there. */
  async function findGhosts() {
    const newest = new Map<string, number>();
    for (const { id, generation } of log.records.ready) if (!log.records.gone.has(id)) newest.set(id, generation);
    const routes = (await endpoints.list()).filter(({ id, generation }) => newest.get(id) !== generation);
    const found = await engine.find({ kind: 'deployment' });
    const left = found.filter(({ labels }) => String(newest.get(labels.id ?? '')) !== labels.generation);
    return { routes: routes.map(({ id, generation }) => `${id}@${generation}`), left: left.map(({ name }) => name) };
  }

  return {
    end: async () => ending.abort(),
    async isSettled() {
      if (end instanceof Error) throw end;
      if (end === 'none') return false;
      const { routes, left } = await findGhosts();
      return routes.length === 0 && left.length === 0;
    },
    progress: () => `${log.records.ready.length} generations, ${log.records.answers.length} answers`,
    async figures() {
      const { routes, left } = await findGhosts();
      for (const name of [...routes, ...left]) report(`left over: ${name}`);
      for (const change of open) report(`not at its end: ${change}`);
      return {
        ...compareService(log.records, containers.all(), report),
        ...{ lost: open.size, deleted, ghostRoutes: routes.length, ghostContainers: left.length },
      };
    },
    async close() {
      ending.abort();
      aborted.abort();
      await changing.catch(() => {});
      await invoking;
    },
  };
}
