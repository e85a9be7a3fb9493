import { type Endpoint, isLater, type Rest } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CallMeter } from './call-meter.js';
import type { Metrics } from './metrics.js';
import type { Lease, Replicas } from './replicas.js';
import type { Woken } from './wake-calls.js';

/** Another generation serves the deployment since the call was admitted: it is to be admitted again. */
export class RouteReplaced extends Error {}

/** A call that waits for a replica. */
export interface Waiting {
  lease: Promise<Lease>;
  leave: (reason: Error) => void;
}

export interface WaitingQueueDeps {
  replicas: Pick<Replicas, 'pick'>;
  meter: CallMeter;
  metrics: Pick<Metrics, 'queued' | 'dequeued' | 'rejected' | 'coldStart'>;
  /** Asks for a replica of a deployment that rests. @throws no_replica when none could be started */
  wake: (endpoint: Endpoint) => Promise<Woken>;
  /** Calls that wait for one deployment; a further one is refused. */
  mostWaiting?: number;
  patienceMs?: number;
  /** Between two requests for a replica, when the first one had no answer. */
  retryMs?: number;
}

interface Entry {
  endpoint: Endpoint;
  tried: ReadonlySet<string>;
  sinceMs: number;
  /** The tier from which the call has to wait for a replica. */
  tier: Rest | undefined;
  settle: (lease: Lease) => void;
  fail: (err: Error) => void;
}

export type WaitingQueue = ReturnType<typeof createWaitingQueue>;

/** Gives each call a replica, in the order in which they came; a call waits while all are busy or the deployment rests. */
export function createWaitingQueue({
  replicas,
  meter,
  metrics,
  wake,
  mostWaiting = 100,
  patienceMs = 30_000,
  retryMs = 1_000,
}: WaitingQueueDeps) {
  const queues = new Map<string, Entry[]>();
  /** Replicas that were started for calls here, until the route table has them. */
  const woken = new Map<string, Woken>();
  const waking = new Set<string>();
  let table = new Map<string, Endpoint>();

  const withWoken = (endpoint: Endpoint): Endpoint => {
    const found = woken.get(endpoint.id);
    if (found === undefined || !isLater(found, endpoint)) return endpoint;
    const { rest: _, ...others } = endpoint;
    return { ...others, replicas: found.replicas };
  };

  /** The newest route of the generation that admitted a call. @throws RouteReplaced */
  function current(given: Endpoint): Endpoint {
    const listed = table.get(given.id);
    if (listed === undefined || isLater(given, listed)) return withWoken(given);
    if (isSameRevision(listed, given)) return withWoken(listed);
    const candidate = listed.candidate?.endpoint;
    if (candidate !== undefined && isSameRevision(candidate, given)) return candidate;
    throw new RouteReplaced();
  }

  /** @returns undefined when the call has to wait. @throws no_replica, RouteReplaced */
  function pick(given: Endpoint, tried: ReadonlySet<string>): Lease | undefined {
    const endpoint = current(given);
    if (endpoint.rest === 'suspended') {
      throw new SlipwayError(
        'no_replica',
        `deployment "${endpoint.id}" is suspended: it takes calls once it is resumed`,
      );
    }
    const lease = replicas.pick(endpoint, tried);
    if (lease === undefined && endpoint.replicas.length === 0 && endpoint.rest === undefined) {
      throw new SlipwayError('no_replica', 'the deployment has no running replica');
    }
    return lease && counted(endpoint.id, lease);
  }

  /** A lease whose end lets the next call go on. */
  function counted(id: string, lease: Lease): Lease {
    meter.begin(id);
    return {
      ...lease,
      release(outcome) {
        lease.release(outcome);
        meter.end(id);
        serve(id);
      },
    };
  }

  /** Lets waiting calls go on as far as replicas are free. */
  function serve(id: string): void {
    const queue = queues.get(id);
    if (queue === undefined) return;
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      try {
        const lease = pick(next.endpoint, next.tried);
        if (lease === undefined) break;
        const waitedMs = performance.now() - next.sinceMs;
        if (next.tier !== undefined) metrics.coldStart(next.endpoint, next.tier, waitedMs / 1_000);
        next.settle(next.tier === undefined ? lease : { ...lease, coldStartMs: waitedMs });
      } catch (err) {
        next.fail(err instanceof Error ? err : new Error('no replica', { cause: err }));
      }
    }
  }

  function refuse(id: string, err: Error): void {
    for (const entry of [...(queues.get(id) ?? [])]) entry.fail(err);
  }

  /** Asks for a replica, again until there is one or no call waits. */
  function rouse(endpoint: Endpoint): void {
    const { id } = endpoint;
    if (waking.has(id)) return;
    waking.add(id);
    void wake(endpoint)
      .then((found) => {
        woken.set(id, found);
        serve(id);
      })
      .catch((err: unknown) => {
        if (err instanceof SlipwayError) refuse(id, err);
      })
      .then(() => {
        waking.delete(id);
        setTimeout(() => rouseWaiting(id), retryMs).unref();
      });
  }

  function rouseWaiting(id: string): void {
    const entry = queues.get(id)?.[0];
    if (entry === undefined) return;
    const listed = withWoken(table.get(id) ?? entry.endpoint);
    if (takesWakeUp(listed)) rouse(listed);
  }

  function wait(endpoint: Endpoint, tried: ReadonlySet<string>): Waiting {
    const { id } = endpoint;
    const queue = queues.get(id) ?? [];
    if (queue.length >= mostWaiting) {
      metrics.rejected(endpoint, 'full');
      throw new SlipwayError(
        'no_replica',
        `${mostWaiting} calls wait for deployment "${id}" already: call again later`,
      );
    }
    queues.set(id, queue);
    let fail = (_reason: Error): void => undefined;
    const lease = new Promise<Lease>((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        queue.splice(queue.indexOf(entry), 1);
        if (queue.length === 0) queues.delete(id);
        meter.end(id);
        metrics.dequeued(endpoint, (performance.now() - entry.sinceMs) / 1_000);
      };
      fail = (reason) => {
        if (!queue.includes(entry)) return;
        leave();
        reject(reason);
      };
      const settle = (given: Lease): void => {
        leave();
        resolve(given);
      };
      const entry: Entry = { endpoint, tried, sinceMs: performance.now(), tier: endpoint.rest, settle, fail };
      const timer = setTimeout(() => {
        metrics.rejected(endpoint, 'deadline');
        fail(new SlipwayError('gateway_timeout', `no replica was free within ${patienceMs / 1_000} s`));
      }, patienceMs);
      queue.push(entry);
    });
    meter.begin(id);
    metrics.queued(endpoint);
    rouseWaiting(id);
    return { lease, leave: fail };
  }

  return {
    /** @throws no_replica when the deployment has none and gets none, or too many calls wait; RouteReplaced */
    take(endpoint: Endpoint, tried: ReadonlySet<string>): Lease | Waiting {
      const isFirst = (queues.get(endpoint.id)?.length ?? 0) === 0;
      return (isFirst ? pick(endpoint, tried) : undefined) ?? wait(current(endpoint), tried);
    },

    /** For a call that does not wait. @throws no_replica, RouteReplaced */
    takeFree(endpoint: Endpoint, tried: ReadonlySet<string>): Lease {
      const lease = pick(endpoint, tried);
      if (lease === undefined) throw new SlipwayError('no_replica', 'no replica is free');
      return lease;
    },

    /** Starts a replica of a deployment that rests, for calls to come. */
    wakeUp: (endpoint: Endpoint): void => (takesWakeUp(withWoken(endpoint)) ? rouse(endpoint) : undefined),

    /** Follows the route table. @returns its routes with the replicas that were started for calls here */
    follow(endpoints: readonly Endpoint[]): Endpoint[] {
      table = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
      for (const [id, found] of woken) {
        const listed = table.get(id);
        if (listed === undefined || !isLater(found, listed)) woken.delete(id);
      }
      for (const id of [...queues.keys()]) serve(id);
      return endpoints.map(withWoken);
    },
  };
}

const takesWakeUp = ({ rest }: Endpoint): boolean => rest === 'paused' || rest === 'stopped';

const isSameRevision = (one: Endpoint, other: Endpoint): boolean =>
  one.uid === other.uid && one.generation === other.generation;
