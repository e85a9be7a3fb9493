import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenSource } from './auth.js';
import { SlipwayApiError, toApiError, toUnreachable } from './errors.js';
import { pauseBeforeRepeat } from './repeat.js';

export interface TransportOptions {
  tokens: TokenSource;
  fetch?: (request: Request) => Promise<Response>;
  /** How often a request is repeated that the server is too busy for. */
  retries?: number;
  /** How long a reply may take to begin. */
  timeoutMs?: number;
  /** Names the program in the server's access log. */
  userAgent?: string;
  newId?: () => string;
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}
export type Transport = (request: Request) => Promise<Response>;

/**
 * `fetch` for a Slipway server: adds the bearer and, to every write, an `Idempotency-Key`; renews the token once when
 * it is refused; repeats what the server is too busy for. Every other failure is thrown as a SlipwayApiError.
 */
export function createTransport(options: TransportOptions): Transport {
  const { tokens, fetch = globalThis.fetch, retries = 4, timeoutMs = 30_000, userAgent = 'slipway-client' } = options;
  const { newId = randomUUID, pause = (ms, signal) => sleep(ms, undefined, { signal }) } = options;

  /** The timeout covers the time until the reply begins, as a log may take hours to end. */
  async function attempt(request: Request): Promise<Response | SlipwayApiError> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('no answer in time', 'TimeoutError')), timeoutMs);
    try {
      return await fetch(new Request(request.clone(), { signal: AbortSignal.any([request.signal, late.signal]) }));
    } catch (cause) {
      request.signal.throwIfAborted();
      return toUnreachable(request.url, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  return async function send(given) {
    const request = new Request(given);
    request.headers.set('User-Agent', userAgent);
    // The same key in every repeat: what was done already is answered, not done again.
    if (isWrite(request) && !request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', newId());
    let refused = false;
    for (let tries = 0; ; tries += 1) {
      request.headers.set('Authorization', `Bearer ${await tokens.token({ renew: refused })}`);
      const outcome = await attempt(request);
      // Asked for its own class only: a `fetch` from elsewhere has a `Response` of its own.
      const reply = outcome instanceof SlipwayApiError ? undefined : outcome;
      if (reply?.ok || reply?.status === 304) return reply;
      const isFirstRefusal: boolean = reply?.status === 401 && !refused;
      const waitMs = isFirstRefusal ? 0 : tries < retries ? pauseBeforeRepeat(outcome, request, tries) : undefined;
      if (waitMs === undefined) throw outcome instanceof SlipwayApiError ? outcome : await toApiError(outcome);
      refused ||= isFirstRefusal;
      await reply?.body?.cancel();
      await pause(waitMs, request.signal);
    }
  };
}

const isWrite = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';
