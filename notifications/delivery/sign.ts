import { createHmac, type KeyObject, sign as signBytes } from 'node:crypto';
import type { SigningKey } from './signing-keys.js';

export interface Signable {
  /** Visible ASCII without dots: the signed text is joined by dots. */
  id: string;
  /** Whole seconds since 1970. */
  timestamp: number;
  /** The exact bytes of the request body, text as UTF-8; empty without a body. */
  body: string | Uint8Array;
  /** One to five, the newest first: all of them sign, so that a receiver may change keys at its own time. */
  keys: readonly SigningKey[];
}

export interface SignatureHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

export const MOST_KEYS = 5;
/** A second is the unit of the header; twelve digits last for 30,000 years. */
const LAST_SECOND = 999_999_999_999;
const SENT_ID = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;

/**
 * The three headers of Standard Webhooks 1.0: `v1,` HMAC-SHA256 and `v1a,` Ed25519, in the order of the keys.
 * @throws RangeError for an id, a time or a number of keys that no receiver would take: a bug of the caller
 */
export function signWebhook({ id, timestamp, body, keys }: Signable): SignatureHeaders {
  if (!SENT_ID.test(id)) throw new RangeError('a webhook id is 1 to 255 visible ASCII characters without a dot');
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > LAST_SECOND) {
    throw new RangeError('a webhook timestamp is in whole seconds since 1970');
  }
  if (keys.length < 1 || keys.length > MOST_KEYS) throw new RangeError(`1 to ${MOST_KEYS} keys sign a webhook`);
  const content = signedContent(id, String(timestamp), body);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map((key) => signatureOf(key, content)).join(' '),
  };
}

/** `id.timestamp.body`, the bytes under every signature. */
export const signedContent = (id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), typeof body === 'string' ? Buffer.from(body) : body]);

function signatureOf(key: SigningKey, content: Buffer): string {
  return key.kind === 'hmac'
    ? `v1,${hmacOf(key.secret, content)}`
    : `v1a,${signBytes(null, content, key.privateKey).toString('base64')}`;
}

export const hmacOf = (secret: KeyObject, content: Buffer): string =>
  createHmac('sha256', secret).update(content).digest('base64');
