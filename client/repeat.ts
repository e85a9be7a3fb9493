import { causeCode, SlipwayApiError } from './errors.js';

/** The longest pause before a repeat, whatever the server asks for. */
const LONGEST_MS = 30_000;

/** Milliseconds until a request is sent once more; undefined when a repeat would be of no use, or could do harm. */
export function pauseBeforeRepeat(
  outcome: Response | SlipwayApiError,
  request: Request,
  tries: number,
): number | undefined {
  const backoff = Math.min(LONGEST_MS, 500 * 2 ** tries);
  if (outcome instanceof SlipwayApiError) {
    return wasCut(outcome) && maySendTwice(request) && tries === 0 ? backoff : undefined;
  }
  const { status, headers } = outcome;
  if (status !== 429 && drawsSecret(request)) return undefined;
  if (status === 429 || status === 503) return retryAfter(headers) ?? backoff;
  return (status === 502 || status === 504) && request.method === 'GET' ? backoff : undefined;
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, ms));
}

const CUT: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** A connection that broke, such as a kept one that the server had closed; one that was never there stays away. */
const wasCut = ({ code, cause }: SlipwayApiError): boolean => code === 'unreachable' && CUT.includes(causeCode(cause));

/**
 * A lost reply may belong to a change that was made. A POST carries its key, a PUT changes nothing the second time;
 * but a conditional PUT would meet its own change, and a DELETE find nothing.
 */
const maySendTwice = (request: Request): boolean =>
  request.method !== 'DELETE' && !request.headers.has('If-Match') && !drawsSecret(request);

/** Answered with a secret that the server keeps no copy of: a repeat would make another one, whatever its key. */
const drawsSecret = ({ method, url }: Request): boolean =>
  method === 'POST' && /\/v2\/keys(\/[^/]+\/rotate)?$/.test(new URL(url).pathname);
