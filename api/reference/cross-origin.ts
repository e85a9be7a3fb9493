import type { RequestListener } from 'node:http';
import type { ApiKeys } from '../../platform/stores/api-keys.js';

export interface CrossOriginOptions {
  /** Origins whose pages may call with any credential; pages of others need a key that names them. */
  origins: readonly string[];
  keys: Pick<ApiKeys, 'allowsOrigin'>;
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'accept, authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, slipway-min-version, x-api-key';
const RESPONSE_HEADERS =
  'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, slipway-as-of, slipway-lag-ms, slipway-version, X-Request-Id';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages of allowed origins read answers (CORS). Credentials are headers and never cookies, so a page of another
 * origin cannot act with the rights of a person who is logged in.
 */
export function crossOrigin({ origins, keys }: CrossOriginOptions, listener: RequestListener): RequestListener {
  const known = new Set(origins);
  return (req, res) => {
    const { origin } = req.headers;
    if (origin === undefined || !(known.has(origin) || keys.allowsOrigin(origin))) return listener(req, res);
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Vary', 'Origin');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS);
      return listener(req, res);
    }
    res.writeHead(204, {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    res.end();
  };
}
