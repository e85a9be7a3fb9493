import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import type { HeaderMap } from './frame.js';

/** RFC 9110, section 7.6.1: they belong to one connection. `expect` was answered by our server already. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);
/** The model is its author's code: it gets no credential of its callers. */
const CREDENTIALS = new Set([
  'authorization',
  'cookie',
  'x-api-key', // that of reference data
  // Tokens and signed statements that proxies add for a person who logged in.
  'x-forwarded-access-token',
  'x-auth-request-access-token',
  'x-goog-iap-jwt-assertion',
  'x-amzn-oidc-accesstoken',
  'x-amzn-oidc-data',
  'x-ms-token-aad-access-token',
  'x-ms-token-aad-id-token',
  'cf-access-jwt-assertion',
]);
/** Never stored: they carry credentials, or name a person or the address of one. */
const UNRECORDED = new Set([
  ...CREDENTIALS,
  'proxy-authorization',
  'set-cookie',
  'x-jwt',
  'x-user',
  'x-email',
  'x-auth-token',
  'x-csrf-token',
  'x-forwarded-user',
  'x-forwarded-email',
  'x-forwarded-preferred-username',
  'x-forwarded-groups',
  'x-auth-request-user',
  'x-auth-request-email',
  'x-auth-request-preferred-username',
  'x-auth-request-groups',
  'x-goog-authenticated-user-id',
  'x-goog-authenticated-user-email',
  'x-amzn-oidc-identity',
  'x-ms-client-principal',
  'x-ms-client-principal-id',
  'x-ms-client-principal-name',
  'forwarded',
  'x-forwarded-for',
  'x-real-ip',
]);
/** Set by us: whatever a client or model wrote there is dropped. */
const OURS_TO_MODEL = new Set(['host', 'content-length', 'request-id', 'x-forwarded-prefix']);
const OURS_TO_CLIENT = new Set([
  'request-id',
  'model-name',
  'model-version',
  'x-slipway-deployment',
  'x-slipway-revision',
  'x-slipway-error',
]);
/**
 * Headers that would act on the whole origin, which is that of the platform, or make a browser leave it or ask for a
 * password. A model decides about its own answer only.
 */
const OF_THE_ORIGIN =
  /^(set-cookie|clear-site-data|service-worker-allowed|strict-transport-security|access-control-.*|timing-allow-origin|alt-svc|refresh|www-authenticate|report-to|nel|reporting-endpoints)$/;
/** A browser runs nothing of an answer and loads nothing for it: opened as a page it has an origin of its own. */
const SANDBOX = ['x-content-type-options', 'nosniff', 'content-security-policy', "default-src 'none'; sandbox"];
const OURS_TO_API = new Set(['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/** Headers as alternating names and values, which keeps repeated ones and their order. */
export type HeaderList = string[];

/** The id of a request: the caller's `Request-Id`, else a random one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['request-id'];
  return typeof given === 'string' && given !== '' ? given : randomUUID();
}

export function toModelHeaders(req: IncomingMessage, prefix: string, requestId: string): HeaderList {
  const kept = keep(
    req.rawHeaders,
    req.headers.connection,
    (name) => !CREDENTIALS.has(name) && !OURS_TO_MODEL.has(name),
  );
  kept.push('x-forwarded-prefix', prefix, 'request-id', requestId);
  return kept;
}

export function toApiHeaders(req: IncomingMessage): HeaderList {
  const kept = keep(req.rawHeaders, req.headers.connection, (name) => !OURS_TO_API.has(name));
  kept.push('x-forwarded-proto', req.socket instanceof TLSSocket ? 'https' : 'http');
  if (req.headers.host !== undefined) kept.push('x-forwarded-host', req.headers.host);
  if (req.socket.remoteAddress !== undefined) kept.push('x-forwarded-for', req.socket.remoteAddress);
  return kept;
}

/**
 * The headers of a model server's answer, without those of our connection to it.
 * @param raw names and values as they came: any byte is allowed in a value, so nothing is decoded
 */
export function fromUpstream(raw: unknown): HeaderList {
  const parts: unknown[] = Array.isArray(raw) ? raw : [];
  const list = parts.map((part) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)));
  return keep(list, valueOf(list, 'connection'), () => true);
}

/** The headers of a model's answer as a client gets them. */
export function fromModel(raw: unknown): HeaderList {
  const isModels = (name: string) => !OURS_TO_CLIENT.has(name) && !SANDBOX.includes(name) && !OF_THE_ORIGIN.test(name);
  return [...keep(fromUpstream(raw), undefined, isModels), ...SANDBOX];
}

export function valueOf(list: HeaderList, name: string): string | undefined {
  const at = list.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? undefined : list[at + 1];
}

/** Headers of every reply about one deployment, whatever the model wrote. */
export function stamp(requestId: string, endpoint: Endpoint | undefined): HeaderList {
  if (endpoint === undefined) return ['request-id', requestId];
  const { id, modelName, modelVersion, generation } = endpoint;
  // prettier-ignore
  return [
    'request-id', requestId,
    'model-name', visible(modelName),
    'model-version', visible(modelVersion),
    'x-slipway-deployment', id,
    'x-slipway-revision', String(generation),
  ];
}

/**
 * For records.
 * @param leftOut further names, in lower case
 */
export function toHeaderMap(list: readonly string[], leftOut: ReadonlySet<string> = NONE): HeaderMap {
  const map: HeaderMap = {};
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = (list[at] ?? '').toLowerCase();
    if (UNRECORDED.has(name) || leftOut.has(name)) continue;
    const value = list[at + 1] ?? '';
    // `in` would find what every object inherits: a header may be called "constructor".
    map[name] = Object.hasOwn(map, name) ? `${map[name] ?? ''}, ${value}` : value;
  }
  return map;
}

const NONE: ReadonlySet<string> = new Set();

/** Text as a header may carry it. */
export function visible(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}

function keep(raw: readonly string[], connection: string | undefined, wanted: (name: string) => boolean): HeaderList {
  const dropped = named(connection);
  const kept: HeaderList = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    if (!HOP_BY_HOP.has(name) && !dropped?.has(name) && wanted(name)) kept.push(name, raw[at + 1] ?? '');
  }
  return kept;
}

/** Header names that a `Connection` header makes hop-by-hop. */
function named(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
