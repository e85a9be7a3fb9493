import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { HeaderList } from './headers.js';
import type { CustomRoute } from './route-follower.js';

/** By what a call stays at its deployment. */
export interface StickyKey {
  /** Absent: chance decides. */
  key?: string;
  /** Headers of the reply. */
  headers: HeaderList;
}

/** A longer body is not parsed: its call is given out by chance. */
const LONGEST_BODY = 256 * 1024;
const COOKIE_SECONDS = 30 * 86_400;
/** Values that the gateway gives out are shorter. */
const COOKIE_VALUE = /^[A-Za-z0-9_-]{1,128}$/;

/** @param readBody called only for a route that is sticky by a field of the body */
export async function readStickyKey(
  req: IncomingMessage,
  { spec: { sticky, urlPrefix } }: CustomRoute,
  readBody: () => Promise<Buffer>,
): Promise<StickyKey> {
  if (sticky.header !== undefined) return toKey(headerOf(req, sticky.header));
  if (sticky.cookie !== undefined) return cookieKey(req, sticky.cookie, urlPrefix);
  if (sticky.field === undefined || req.headers['content-encoding'] !== undefined) return toKey(undefined);
  return toKey(fieldOf(await readBody(), sticky.field));
}

const toKey = (key: string | undefined): StickyKey =>
  key === undefined || key === '' ? { headers: [] } : { key, headers: [] };

function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** A random value says nothing of its caller; one that a caller chooses moves only that caller. */
function cookieKey(req: IncomingMessage, name: string, path: string): StickyKey {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const given = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  if (given !== undefined && COOKIE_VALUE.test(given)) return { key: given, headers: [] };
  const key = randomUUID();
  const secure = req.socket instanceof TLSSocket || req.headers['x-forwarded-proto'] === 'https' ? '; Secure' : '';
  const cookie = `${name}=${key}; Path=${path}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  return { key, headers: ['set-cookie', cookie] };
}

/** The value at a path of a JSON body, such as `customer.id` or `data.0.0`. */
function fieldOf(body: Buffer, field: string): string | undefined {
  if (body.length === 0 || body.length > LONGEST_BODY) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  for (const step of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step]; // an own property, also of a list
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}
