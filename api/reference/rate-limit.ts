import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ReferenceStep } from './state.js';

/** Twice the rate may come at once: the window is two seconds long. */
const WINDOW_SECONDS = 2;

export interface RateLimit {
  /** Counts one request. @returns headers, names and values in turns, of the IETF draft `RateLimit header fields for HTTP` */
  count: (actor: string) => { exceeded: boolean; seconds: number; headers: string[] };
  perSecond: number;
}

export interface RateLimitOptions {
  perSecond: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

interface Window {
  requests: number;
  endsAt: number;
}

/**
 * So many requests a second on average for each client, counted by this process. Counted at once: a plain read has its tag
 * and its body from one moment, and limiters that are waited for would let the dataset change between the two.
 */
export function createRateLimit({ perSecond, now = () => performance.now() }: RateLimitOptions): RateLimit {
  const quota = perSecond * WINDOW_SECONDS;
  const policy = `"client";q=${quota};w=${WINDOW_SECONDS}`;
  /** Of each client the one that its first request began; all are of one length, so those that end first come first. */
  const windows = new Map<string, Window>();

  function windowOf(actor: string, time: number): Window {
    const known = windows.get(actor);
    if (known !== undefined && known.endsAt > time) return known;
    for (const [each, { endsAt }] of windows) {
      if (endsAt > time) break;
      windows.delete(each);
    }
    const begun = { requests: 0, endsAt: time + WINDOW_SECONDS * 1_000 };
    windows.set(actor, begun);
    return begun;
  }

  return {
    perSecond,
    count(actor) {
      const time = now();
      const window = windowOf(actor, time);
      window.requests += 1;
      const seconds = Math.ceil((window.endsAt - time) / 1_000);
      const remaining = Math.max(0, quota - window.requests);
      const headers = ['RateLimit-Policy', policy, 'RateLimit', `"client";r=${remaining};t=${seconds}`];
      return { exceeded: window.requests > quota, seconds, headers };
    },
  };
}

/** @throws rate.exceeded */
export function limitRate({ count, perSecond }: RateLimit): ReferenceStep {
  return async function limitRate(ctx, next) {
    const { exceeded, seconds, headers } = count(ctx.state.client.actor);
    for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at] ?? '', headers[at + 1] ?? '');
    if (exceeded) {
      ctx.set('Retry-After', String(Math.max(1, seconds)));
      throw new SlipwayError('rate.exceeded', `more than ${perSecond} requests a second`);
    }
    await next();
  };
}
