import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { forward, type Forwarding } from './forward.js';
import type { Metrics } from './metrics.js';
import type { Reply } from './reply.js';
import { timeoutOf } from './timeout.js';
import type { WaitingQueue } from './waiting-queue.js';

export interface MirrorOptions {
  queue: Pick<WaitingQueue, 'takeFree' | 'wakeUp'>;
  metrics: Pick<Metrics, 'mirrored'>;
  /** Copies under way; a further one is dropped. */
  mostInFlight?: number;
  /** A larger body is not copied. */
  bodyBytes?: number;
}

export type Mirror = ReturnType<typeof createMirror>;

/** Sends copies of calls to the mirror of a route, after their reply. No caller waits for its answer, and none is recorded. */
export function createMirror({ queue, metrics, mostInFlight = 32, bodyBytes = 1024 ** 2 }: MirrorOptions) {
  const underWay = new Set<() => void>();
  let closed = false;

  async function copy(endpoint: Endpoint, request: Forwarding): Promise<void> {
    let abort = (): void => undefined;
    let status = 0;
    const stop = (): void => abort();
    underWay.add(stop);
    try {
      await forward({
        ...{ endpoint, request, take: queue.takeFree, timeoutMs: timeoutOf(endpoint) },
        reply: { ...IGNORED, start: (code) => (status = code) },
        onGone: (given) => (abort = given),
        onTry: () => undefined,
      });
      metrics.mirrored(endpoint.id, status < 500 ? 'answered' : 'failed');
    } catch {
      metrics.mirrored(endpoint.id, 'failed');
    }
    underWay.delete(stop);
  }

  return {
    send(endpoint: Endpoint, request: Forwarding): void {
      const fits = underWay.size < mostInFlight && request.body.length <= bodyBytes;
      queue.wakeUp(endpoint);
      if (closed || !fits || endpoint.replicas.length === 0) return metrics.mirrored(endpoint.id, 'dropped');
      void copy(endpoint, request);
    },

    /** Breaks off what is under way. */
    close(): void {
      closed = true;
      for (const stop of underWay) stop();
    },
  };
}

/** Reads an answer and drops it. */
const IGNORED: Reply = {
  begun: () => false,
  start: () => undefined,
  write: () => true,
  onDrain: () => undefined,
  replace: () => undefined,
  end: () => undefined,
  answer: () => ({ status: 0, headers: [], body: Buffer.alloc(0), truncated: false }),
};
