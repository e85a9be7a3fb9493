import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { EndpointStore } from '../lifecycle/stores/endpoints.js';
import { READER_MS, type RouteReaders } from '../lifecycle/stores/route-readers.js';
import { errorCode } from './error-code.js';
import { watchPauses } from './pauses.js';

/** The route table as this gateway knows it: a snapshot in memory, swapped at once. */
export interface Routes {
  /** @throws unavailable when the snapshot lacks it and the store cannot be asked */
  lookup(id: string): Promise<Endpoint | undefined>;
  all(): readonly Endpoint[];
  /** Whether a snapshot was ever read, from the store or from the copy on disk. */
  ready(): boolean;
  /** Called with each new snapshot. */
  onSwap(listener: (endpoints: readonly Endpoint[]) => void): void;
  close(): Promise<void>;
}

export interface RoutesOptions {
  endpoints: Pick<EndpointStore, 'get' | 'list'>;
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

const Snapshot = z.array(
  z.object({
    id: z.string(),
    uid: z.string(),
    generation: z.number(),
    imageId: z.string().optional(),
    roleName: z.string(),
    modelName: z.string(),
    modelVersion: z.string(),
    timeoutSeconds: z.number(),
    feedback: z.boolean(),
    records: z.object({ redact: z.array(z.string()), retentionDays: z.number() }).optional(),
    replicas: z.array(z.object({ name: z.string(), url: z.string() })),
    info: z.record(z.string(), z.unknown()),
    epoch: z.number().optional(),
  }),
) satisfies z.ZodType<Endpoint[]>;

/** Starts with the copy on disk, then follows the store. */
export async function createRoutes({
  endpoints,
  readers,
  copyPath,
  log,
  pollMs = 1_000,
  patienceMs = 2_000,
  stalePatienceMs = STALE_PATIENCE_MS,
  now = () => performance.now(),
}: RoutesOptions): Promise<Routes> {
  const gateway = randomUUID();
  let acknowledged = { epochs: '', atMs: 0 };
  let byId = new Map<string, Endpoint>();
  let text = '';
  let ready = false;
  let failing = false;
  let isCopyStale = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let following: Promise<void> | undefined;
  let acknowledging: Promise<void> | undefined;
  const startedAt = now();
  /** When the read of the routes that are served began. */
  let readAt = -Infinity;
  const pauses = watchPauses(now);
  const listeners: ((endpoints: readonly Endpoint[]) => void)[] = [];

  function swap(next: readonly Endpoint[]): void {
    byId = new Map(next.map((endpoint) => [endpoint.id, endpoint]));
    ready = true;
    for (const listener of listeners) listener(next);
  }

  async function readCopy(): Promise<void> {
    try {
      text = await readFile(copyPath, 'utf8');
      swap(Snapshot.parse(JSON.parse(text)));
    } catch (err) {
      text = '';
      if (errorCode(err) !== 'ENOENT') log.warn({ err }, 'no usable copy of the routes');
    }
  }

  async function copy(next: string): Promise<void> {
    if (next === text) return;
    try {
      await mkdir(dirname(copyPath), { recursive: true });
      await writeFile(`${copyPath}.next`, next, { mode: 0o600 });
      await rename(`${copyPath}.next`, copyPath);
      text = next;
      isCopyStale = false;
    } catch (err) {
      if (!isCopyStale) log.warn({ err }, 'the copy of the route table cannot be written: trying again');
      isCopyStale = true;
    }
  }

  async function follow(): Promise<void> {
    try {
      const began = now();
      const next = await endpoints.list();
      swap(next);
      readAt = began;
      if (failing) log.info('the route table can be read again');
      failing = false;
      // The next poll tries again. It does not wait: routes must not get old while a write takes long.
      acknowledging ??= acknowledge(next)
        .catch(() => undefined)
        .finally(() => (acknowledging = undefined));
      await copy(JSON.stringify(next));
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

  /** Says which routes are served here, on each change and now and then. */
  async function acknowledge(served: readonly Endpoint[]): Promise<void> {
    const epochs = Object.fromEntries(served.map(({ id, epoch = 0 }) => [id, epoch]));
    const text = JSON.stringify(epochs);
    if (text === acknowledged.epochs && Date.now() - acknowledged.atMs < READER_MS) return;
    await readers.acknowledge(gateway, epochs);
    acknowledged = { epochs: text, atMs: Date.now() };
  }

  async function ask(id: string): Promise<Endpoint | undefined> {
    try {
      const found = await patiently(endpoints.get(id), patienceMs);
      if (found !== undefined) byId.set(id, found);
      return found;
    } catch (cause) {
      throw new SlipwayError('unavailable', `deployment "${id}" cannot be looked up`, { cause });
    }
  }

  await readCopy();
  const first = begin();
  await Promise.race([first, sleep(patienceMs, undefined, { ref: false })]);

  return {
    // A deployment may be younger than the snapshot.
    lookup: async (id) => {
      if (byId.has(id)) await catchUp();
      return byId.get(id) ?? ask(id);
    },
    all: () => [...byId.values()],
    ready: () => ready,
    onSwap: (listener) => {
      listeners.push(listener);
      listener([...byId.values()]);
    },
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
