import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { EndpointStore } from '../lifecycle/stores/endpoints.js';
import { customRouteKey, READER_MS, type RouteReaders } from '../lifecycle/stores/route-readers.js';
import type { CallsReport } from '../lifecycle/kinds/revision-calls.js';
import type { Route } from '../lifecycle/kinds/route.js';
import type { ResourceStore } from '../platform/stores/resources.js';
import { watchPauses } from './pauses.js';
import { createRouteCopy, type Snapshot } from './route-copy.js';
import { createRouteFollower } from './route-follower.js';
import { matchRoute, type RouteMatch, toTable } from './route-table.js';

/** The route table as this gateway knows it: a snapshot in memory, swapped at once. */
export interface Routes {
  /** @throws unavailable when the snapshot lacks it and the store cannot be asked */
  lookup(id: string): Promise<Endpoint | undefined>;
  /** Finds the custom route of a path; a route is younger than the snapshot for a second at most. */
  match(path: string): Promise<RouteMatch | undefined>;
  all(): readonly Endpoint[];
  /** Whether a snapshot was ever read, from the store or from the copy on disk. */
  ready(): boolean;
  /** Called with each new snapshot. */
  onSwap(listener: (endpoints: readonly Endpoint[]) => void): void;
  /** What is reported about calls with each acknowledgement. */
  reportCalls(read: () => CallsReport): void;
  close(): Promise<void>;
}

export interface RoutesOptions {
  endpoints: Pick<EndpointStore, 'get' | 'list'>;
  customRoutes: Pick<ResourceStore<Route>, 'get' | 'list'>;
  readers: Pick<RouteReaders, 'acknowledge' | 'leave'>;
  /** Copy of the last snapshot, read at start: the gateway serves through an outage of the database. */
  copyPath: string;
  log: Pick<Logger, 'info' | 'warn'>;
  pollMs?: number;
  /** How long a start, or a request for a deployment that is not known yet, waits for the store. */
  patienceMs?: number;
  /** How long a request waits for routes that are not those of another time. */
  stalePatienceMs?: number;
  /** Milliseconds that also pass while the process is stopped. */
  now?: () => number;
}

/** Longer than a read of the store that fails: until then nothing says that the store is away. */
const STALE_PATIENCE_MS = 12_000;

/** Starts with the copy on disk, then follows the store. */
export async function createRoutes({
  endpoints,
  customRoutes,
  readers,
  copyPath,
  log,
  pollMs = 1_000,
  patienceMs = 2_000,
  stalePatienceMs = STALE_PATIENCE_MS,
  now = () => performance.now(),
}: RoutesOptions): Promise<Routes> {
  const gateway = randomUUID();
  let acknowledged = { text: '', atMs: 0 };
  let readCalls = (): CallsReport => ({});
  const readRoutes = createRouteFollower(customRoutes);
  const copy = createRouteCopy({ path: copyPath, log });
  let table = toTable([], []);
  let ready = false;
  let failing = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let following: Promise<void> | undefined;
  let acknowledging: Promise<void> | undefined;
  const startedAt = now();
  /** When the read of the routes that are served began. */
  let readAt = -Infinity;
  const pauses = watchPauses(now);
  const listeners: ((endpoints: readonly Endpoint[]) => void)[] = [];

  function swap(next: Snapshot): void {
    table = toTable(next.endpoints, next.routes);
    ready = true;
    for (const listener of listeners) listener(next.endpoints);
  }

  async function read(): Promise<Snapshot> {
    // Routes first: a deployment that one names is then in the snapshot too, if it is served.
    const custom = await readRoutes();
    return { routes: custom, endpoints: await endpoints.list() };
  }

  async function follow(): Promise<void> {
    try {
      const began = now();
      const next = await read();
      swap(next);
      readAt = began;
      if (failing) log.info('the route table can be read again');
      failing = false;
      // The next poll tries again. It does not wait: routes must not get old while a write takes long.
      acknowledging ??= acknowledge(next)
        .catch(() => undefined)
        .finally(() => (acknowledging = undefined));
      await copy.write(next);
    } catch (err) {
      if (!failing) log.warn({ err }, 'the route table cannot be read: serving the last one');
      failing = true;
    }
    following = undefined;
    if (!closed) timer = setTimeout(() => void begin(), pollMs).unref();
  }

  function begin(): Promise<void> {
    clearTimeout(timer);
    following ??= follow();
    return following;
  }

  /**
   * A process that was stopped has the routes of that time, also from a read that had begun, and one that starts has those
   * of its copy: it reads them again. They are served without that only when the store cannot be read.
   */
  async function catchUp(): Promise<void> {
    const isStale = (): boolean => readAt < Math.max(startedAt, pauses.lastEnd()) && !failing;
    const readAgain = async (): Promise<void> => {
      await following;
      if (isStale()) await begin();
    };
    if (isStale()) await patiently(readAgain(), stalePatienceMs).catch(() => undefined);
  }

  /** Says which routes are served here, and of what is watched the calls: on each change and now and then. */
  async function acknowledge(served: Snapshot): Promise<void> {
    const epochs = Object.fromEntries([
      ...served.endpoints.map(({ id, epoch = 0 }) => [id, epoch] as const),
      ...served.routes.map(({ id, revision }) => [customRouteKey(id), revision] as const),
    ]);
    const calls = readCalls();
    const text = JSON.stringify([epochs, calls]);
    if (text === acknowledged.text && Date.now() - acknowledged.atMs < READER_MS) return;
    await readers.acknowledge(gateway, epochs, calls);
    acknowledged = { text, atMs: Date.now() };
  }

  async function ask(id: string): Promise<Endpoint | undefined> {
    try {
      const found = await patiently(endpoints.get(id), patienceMs);
      if (found !== undefined) table.endpoints.set(id, found);
      return found;
    } catch (cause) {
      throw new SlipwayError('unavailable', `deployment "${id}" cannot be looked up`, { cause });
    }
  }

  const copied = await copy.read();
  if (copied !== undefined) swap(copied);
  const first = begin();
  await Promise.race([first, sleep(patienceMs, undefined, { ref: false })]);

  return {
    // A deployment may be younger than the snapshot.
    lookup: async (id) => {
      if (table.endpoints.has(id)) await catchUp();
      return table.endpoints.get(id) ?? ask(id);
    },
    match: async (path) => {
      await catchUp();
      return matchRoute(table, path);
    },
    all: () => [...table.endpoints.values()],
    ready: () => ready,
    onSwap: (listener) => {
      listeners.push(listener);
      listener([...table.endpoints.values()]);
    },
    reportCalls: (read) => (readCalls = read),
    async close() {
      closed = true;
      clearTimeout(timer);
      pauses.close();
      if (acknowledging !== undefined) await patiently(acknowledging, patienceMs).catch(() => undefined);
      // A database that is away has other worries; the row is too old soon.
      await patiently(readers.leave(gateway), patienceMs).catch(() => undefined);
    },
  };
}

async function patiently<T>(promise: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new SlipwayError('unavailable', `no answer within ${ms} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    done.abort();
  }
}
