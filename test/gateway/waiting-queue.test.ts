import { expect, test, vi } from 'vitest';
import { createCallMeter } from '../../gateway/call-meter.js';
import { createReplicas, type Lease } from '../../gateway/replicas.js';
import { createWaitingQueue, RouteReplaced, type WaitingQueueDeps } from '../../gateway/waiting-queue.js';
import type { Woken } from '../../gateway/wake-calls.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { wine } from './edge.js';

const NONE = new Set<string>();
const ONE = 'http://127.0.0.1:9';

function startScene(endpoint: Endpoint, options: Partial<WaitingQueueDeps> = {}) {
  const seen: string[] = [];
  const metrics = {
    queued: () => void seen.push('queued'),
    dequeued: () => void seen.push('dequeued'),
    rejected: (_: Endpoint, why: string) => void seen.push(why),
    coldStart: (_: Endpoint, tier: string) => void seen.push(`cold ${tier}`),
  };
  const meter = createCallMeter();
  const replicas = createReplicas();
  const wake = vi.fn<(endpoint: Endpoint) => Promise<Woken>>(() => new Promise(() => {}));
  const queue = createWaitingQueue({ replicas, meter, metrics, wake, ...options });
  const follow = (...endpoints: Endpoint[]) => replicas.retain(queue.follow(endpoints));
  follow(endpoint);
  /** A lease that is there at once. */
  const takeNow = (given = endpoint): Lease => {
    const taken = queue.take(given, NONE);
    if (!('pool' in taken)) throw new Error('the call waits');
    return taken;
  };
  /** A call that waits. */
  const takeLater = (given = endpoint) => {
    const taken = queue.take(given, NONE);
    if ('pool' in taken) throw new Error('the call does not wait');
    return taken;
  };
  return { queue, replicas, meter, wake, follow, takeNow, takeLater, seen };
}

test('calls wait while the replica is full, and go on in their order as others end', async () => {
  const { takeNow, takeLater, seen } = startScene(wine([ONE], { concurrency: 1 }));
  const first = takeNow();
  const order: number[] = [];
  const waiting = [1, 2].map((number) => takeLater().lease.then((lease) => (order.push(number), lease)));
  first.release('answered');
  const second = await waiting[0];
  expect(order).toEqual([1]);
  second?.release('answered');
  await waiting[1];
  expect(order).toEqual([1, 2]);
  expect(seen).toEqual(['queued', 'queued', 'dequeued', 'dequeued']);
});

test('a call beyond the bound is refused with 503, one that waited too long with 504', async () => {
  vi.useFakeTimers();
  try {
    const { takeNow, takeLater, queue, seen } = startScene(wine([ONE], { concurrency: 1 }), { mostWaiting: 1 });
    takeNow();
    const waiting = expect(takeLater().lease).rejects.toMatchObject({ code: 'gateway_timeout', status: 504 });
    expect(() => queue.take(wine([ONE]), NONE)).toThrow(
      expect.objectContaining({ status: 503, message: '1 calls wait for deployment "wine" already: call again later' }),
    );
    await vi.advanceTimersByTimeAsync(30_000);
    await waiting;
    expect(seen).toEqual(['queued', 'full', 'deadline', 'dequeued']);
  } finally {
    vi.useRealTimers();
  }
});

test('a client that leaves the queue gives its turn to the next call', async () => {
  const { takeNow, takeLater } = startScene(wine([ONE], { concurrency: 1 }));
  const first = takeNow();
  const gone = takeLater();
  const next = takeLater();
  gone.leave(new Error('gone'));
  await expect(gone.lease).rejects.toThrow('gone');
  first.release('answered');
  expect((await next.lease).replica.url).toBe(ONE);
});

const PAUSED = wine([], { epoch: 5, version: 2, rest: 'paused', wake: { url: 'http://127.0.0.1:9', token: 't' } });
const WOKEN = { epoch: 5, version: 3, replicas: [{ name: 'wine-r0', url: ONE }] };

test('a call at a paused deployment wakes it once, and its reply names the wait', async () => {
  let answer = (_: Woken): void => undefined;
  const wake = vi.fn(() => new Promise<Woken>((resolve) => (answer = resolve)));
  const { takeLater, takeNow, seen } = startScene(PAUSED, { wake });
  const waiting = [takeLater(), takeLater()];
  expect(wake).toHaveBeenCalledTimes(1);
  answer(WOKEN);
  for (const { lease } of waiting) expect((await lease).coldStartMs).toBeGreaterThanOrEqual(0);
  expect(takeNow().coldStartMs).toBeUndefined();
  expect(seen.filter((word) => word.startsWith('cold'))).toEqual(['cold paused', 'cold paused']);
});

test('the replicas of a former wake-up get no calls once the routes say that the deployment rests again', async () => {
  const { takeLater, takeNow, follow, replicas } = startScene(PAUSED, { wake: async () => WOKEN });
  const lease = await takeLater().lease;
  follow(PAUSED); // a snapshot from before the wake-up
  takeNow().release('answered');
  follow({ ...PAUSED, version: 4 });
  expect(replicas.draining()).toEqual(['wine-r0']);
  takeLater().lease.catch(() => undefined);
  lease.release('answered');
  expect(replicas.draining()).toEqual(['wine-r0']); // what it answered is counted only now
  expect(replicas.draining()).toEqual([]);
});

test('a start that fails refuses all waiting calls at once', async () => {
  const wake = () => Promise.reject(new SlipwayError('no_replica', 'replica r0 ended: no model'));
  const { takeLater } = startScene(PAUSED, { wake });
  const calls = [takeLater(), takeLater()].map(({ lease }) => lease.catch((err: unknown) => err));
  for (const err of await Promise.all(calls)) expect(err).toMatchObject({ message: 'replica r0 ended: no model' });
});

test('a supervisor that does not answer is asked again, and the route table helps as well', async () => {
  vi.useFakeTimers();
  try {
    const wake = vi.fn(() => Promise.reject(new Error('connection refused')));
    const { takeLater, follow } = startScene(PAUSED, { wake });
    const { lease } = takeLater();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(wake).toHaveBeenCalledTimes(3);
    follow(wine([ONE], { epoch: 5, version: 3 }));
    expect((await lease).replica.url).toBe(ONE);
  } finally {
    vi.useRealTimers();
  }
});

test('a suspended deployment refuses calls; one without a replica does not let them wait', () => {
  const { queue, follow } = startScene(wine([], { rest: 'suspended' }));
  const message = 'deployment "wine" is suspended: it takes calls once it is resumed';
  expect(() => queue.take(wine([]), NONE)).toThrow(message);
  follow(wine([]));
  expect(() => queue.take(wine([]), NONE)).toThrow('the deployment has no running replica');
});

test('a call that was admitted before a new generation or a new route does not use the old one', async () => {
  const { queue, takeNow, takeLater, follow } = startScene(wine([ONE], { concurrency: 1 }));
  takeNow();
  const { lease } = takeLater();
  const refused = expect(lease).rejects.toBeInstanceOf(RouteReplaced);
  follow(wine(['http://127.0.0.1:10'], { generation: 4 }));
  await refused;
  expect(() => queue.take(wine([ONE]), NONE)).toThrow(RouteReplaced);
  expect(takeNow(wine([ONE], { generation: 4 })).replica.url).toBe('http://127.0.0.1:10');
});

test('the meter counts calls in flight and those that wait', () => {
  let nowMs = 0;
  const meter = createCallMeter({ now: () => nowMs });
  meter.begin('wine');
  meter.begin('wine');
  nowMs = 1_500;
  meter.end('wine');
  nowMs = 2_500;
  expect(meter.read(['wine', 'idle'])).toEqual({ wine: 4 });
  expect(meter.read([])).toEqual({});
});
