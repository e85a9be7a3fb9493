import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { SlipwayError } from '../../resources/errors.js';
import type { ReferenceStep } from './state.js';

/** Twice the rate may come at once: the window is two seconds long. */
const WINDOW_SECONDS = 2;

/**
 * So many requests a second on average for each client, counted by this process, with the headers of the IETF draft
 * `RateLimit header fields for HTTP`.
 * @throws rate.exceeded
 */
export function rateLimit({ perSecond }: { perSecond: number }): ReferenceStep {
  const quota = perSecond * WINDOW_SECONDS;
  const limiter = new RateLimiterMemory({ points: quota, duration: WINDOW_SECONDS });
  const policy = `"client";q=${quota};w=${WINDOW_SECONDS}`;

  return async function rateLimit(ctx, next) {
    const state = await limiter.consume(ctx.state.client.actor).catch((err: unknown) => {
      if (err instanceof RateLimiterRes) return err;
      throw err;
    });
    const seconds = Math.ceil(state.msBeforeNext / 1_000);
    ctx.set('RateLimit-Policy', policy);
    ctx.set('RateLimit', `"client";r=${Math.max(0, quota - state.consumedPoints)};t=${seconds}`);
    if (state.consumedPoints > quota) {
      ctx.set('Retry-After', String(Math.max(1, seconds)));
      throw new SlipwayError('rate.exceeded', `more than ${perSecond} requests a second`);
    }
    await next();
  };
}
