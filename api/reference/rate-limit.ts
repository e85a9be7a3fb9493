import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { SlipwayError } from '../../resources/errors.js';
import type { ReferenceStep } from './state.js';

/** Twice the rate may come at once: the window is two seconds long. */
const WINDOW_SECONDS = 2;

export interface RateLimit {
  /** Counts one request. @returns headers, names and values in turns, of the IETF draft `RateLimit header fields for HTTP` */
  count: (actor: string) => Promise<{ exceeded: boolean; seconds: number; headers: string[] }>;
  perSecond: number;
}

/** So many requests a second on average for each client, counted by this process. */
export function createRateLimit({ perSecond }: { perSecond: number }): RateLimit {
  const quota = perSecond * WINDOW_SECONDS;
  const limiter = new RateLimiterMemory({ points: quota, duration: WINDOW_SECONDS });
  const policy = `"client";q=${quota};w=${WINDOW_SECONDS}`;
  return {
    perSecond,
    async count(actor) {
      const state = await limiter.consume(actor).catch((err: unknown) => {
        if (err instanceof RateLimiterRes) return err;
        throw err;
      });
      const { consumedPoints, msBeforeNext } = state;
      const seconds = Math.ceil(msBeforeNext / 1_000);
      const remaining = Math.max(0, quota - consumedPoints);
      const headers = ['RateLimit-Policy', policy, 'RateLimit', `"client";r=${remaining};t=${seconds}`];
      return { exceeded: consumedPoints > quota, seconds, headers };
    },
  };
}

/** @throws rate.exceeded */
export function limitRate({ count, perSecond }: RateLimit): ReferenceStep {
  return async function limitRate(ctx, next) {
    const { exceeded, seconds, headers } = await count(ctx.state.client.actor);
    for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at] ?? '', headers[at + 1] ?? '');
    if (exceeded) {
      ctx.set('Retry-After', String(Math.max(1, seconds)));
      throw new SlipwayError('rate.exceeded', `more than ${perSecond} requests a second`);
    }
    await next();
  };
}
