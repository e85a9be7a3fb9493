import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica, RouteTime } from '../../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { autoscaler, type AutoscalerSettings, startAutoscaler } from './autoscaler.js';
import type { Load } from './gateway-load.js';

export interface ScalingOptions {
  /** Replicas that there are at the start. */
  count: number;
  bounds: { min: number; max: number };
  settings: AutoscalerSettings;
  readLoad: () => Promise<Load>;
  now?: () => number;
}

/** The replicas that were started for a call, and the route that names them. */
export interface Woken extends RouteTime {
  replicas: Replica[];
}

export type Scaling = ReturnType<typeof createScaling>;

/** How many replicas a deployment has: by the calls that gateways report, and at once by a call that waits for a replica. */
export function createScaling({ count, bounds, settings, readLoad, now = Date.now }: ScalingOptions) {
  let state = startAutoscaler(now(), count);
  let tickedAt = -Infinity;
  let waiting: { resolve: (woken: Woken) => void; reject: (err: unknown) => void }[] = [];
  let alarm = new AbortController();

  return {
    count,

    /** @returns the number of replicas to have now */
    async decide(ready: number): Promise<number> {
      // A start may take longer than a deployment is idle before it rests again.
      if (waiting.length > 0) state = { ...state, busyAtMs: now() };
      if (now() - tickedAt < settings.tickMs) return state.desired;
      tickedAt = now();
      const load = await readLoad();
      state = autoscaler(state, { ...load, ...bounds, atMs: now(), ready }, settings);
      return state.desired;
    },

    /** Asks for a replica. @throws no_replica when none could be started */
    wake(): Promise<Woken> {
      state = { ...state, desired: Math.max(1, state.desired), busyAtMs: now() };
      tickedAt = now(); // the call needs no decision, and does not wait for one
      alarm.abort();
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },

    isAwaited: (): boolean => waiting.length > 0,

    answer(woken: Woken): void {
      for (const { resolve } of waiting) resolve(woken);
      waiting = [];
    },

    /** Tells the calls that wait why no replica could be started. */
    refuse(reason: string): void {
      for (const { reject } of waiting) reject(new SlipwayError('no_replica', reason));
      waiting = [];
    },

    /** Lets the calls that wait ask the next supervisor. */
    close(): void {
      const err = new SlipwayError('conflict', 'this supervisor of the deployment has ended');
      for (const { reject } of waiting) reject(err);
      waiting = [];
    },

    /** Sleeps until the next tick at the latest, or until a call needs a replica. */
    async sleep(ms: number, signal: AbortSignal): Promise<void> {
      const end = (): void => alarm.abort();
      signal.addEventListener('abort', end);
      await sleep(Math.min(ms, settings.tickMs), undefined, { signal: alarm.signal }).catch(() => undefined);
      signal.removeEventListener('abort', end);
      if (alarm.signal.aborted) alarm = new AbortController();
    },
  };
}
