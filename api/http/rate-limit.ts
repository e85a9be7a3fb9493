import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Next } from 'koa';
import { setHeaders } from './headers.js';
import type { HttpContext } from './state.js';

/** Twice the rate may come at once: the window is two seconds long. */
const WINDOW_SECONDS = 2;

export interface RateLimit {
  /**
   * Counts one request.
   * @returns headers of the IETF draft `RateLimit header fields for HTTP`, names and values in turns
   */
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
 * Limits the average rate of each client within this process. It counts synchronously: a short cut takes its tag and
 * its body from one version, and the dataset could change while it waits for a limiter.
 */
export function createRateLimit({ perSecond, now = () => performance.now() }: RateLimitOptions): RateLimit {
  const quota = perSecond * WINDOW_SECONDS;
  const policy = `"client";q=${quota};w=${WINDOW_SECONDS}`;
  /** The current window of each client, in order of their ends: all windows have one length. */
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

/** Limits the clients of `/v2`. @throws rate.exceeded */
export const limitRate = (limit: RateLimit) =>
  limitActor<{ client: { actor: string } }>(limit, ({ client }) => client.actor);

/** Limits the callers of the management API; its open pages have none. @throws rate.exceeded */
export const limitCaller = (limit: RateLimit) =>
  limitActor<{ caller?: { sub: string } }>(limit, ({ caller }) => caller?.sub);

function limitActor<State extends object>(
  { count, perSecond }: RateLimit,
  actorOf: (state: State) => string | undefined,
) {
  return async function limitRate(ctx: HttpContext<State>, next: Next): Promise<void> {
    const actor = actorOf(ctx.state);
    if (actor === undefined) return void (await next());
    const { exceeded, seconds, headers } = count(actor);
    setHeaders(ctx, headers);
    if (exceeded) {
      const retrySeconds = Math.max(1, seconds);
      ctx.set('Retry-After', String(retrySeconds));
      const limit = `limit of ${perSecond} requests a second for one client exceeded`;
      throw new SlipwayError('rate.exceeded', `${limit}: try again in ${retrySeconds} s`);
    }
    await next();
  };
}
