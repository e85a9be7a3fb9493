import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { EndpointStore } from '../lifecycle/stores/endpoints.js';
import { customRouteKey, READER_MS, type RouteReaders } from '../lifecycle/stores/route-readers.js';
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
  /** How long a start or a request waits for the store. */
  patienceMs?: number;
  /** Milliseconds that also pass while the process is stopped. */
  now?: () => number;
}

/** Starts with the copy on disk, then follows the store. */
export async function createRoutes({
  endpoints,
  customRoutes,
  readers,
  copyPath,
  log,
  pollMs = 1_000,
  patienceMs = 2_000,
  now = () => performance.now(),
}: RoutesOptions): Promise<Routes> {
  const gateway = randomUUID();
  let acknowledged = { epochs: '', atMs: 0 };
  const readRoutes = createRouteFollower(customRoutes);
  const copy = createRouteCopy({ path: copyPath, log });
  let table = toTable([], []);
  let ready = false;
  let failing = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let following: Promise<void> | undefined;
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
      await acknowledge(next).catch(() => undefined); // the next poll tries again
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

  /** A process that was stopped has the routes of that time, also from a read that had begun: it reads them again. */
  async function catchUp(): Promise<void> {
    const isStale = (): boolean => readAt < pauses.lastEnd() && !failing;
    const readAgain = async (): Promise<void> => {
      await following;
      if (isStale()) await begin();
    };
    if (isStale()) await patiently(readAgain(), patienceMs).catch(() => undefined);
  }

  /** Says which routes are served here, on each change and now and then. */
  async function acknowledge(served: Snapshot): Promise<void> {
    const epochs = Object.fromEntries([
      ...served.endpoints.map(({ id, epoch = 0 }) => [id, epoch] as const),
      ...served.routes.map(({ id, revision }) => [customRouteKey(id), revision] as const),
    ]);
    const text = JSON.stringify(epochs);
    if (text === acknowledged.epochs && Date.now() - acknowledged.atMs < READER_MS) return;
    await readers.acknowledge(gateway, epochs);
    acknowledged = { epochs: text, atMs: Date.now() };
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
      await catchUp();
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
    async close() {
      closed = true;
      clearTimeout(timer);
      pauses.close();
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
