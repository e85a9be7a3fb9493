import { timingSafeEqual, verify as verifyBytes } from 'node:crypto';
import { hmacOf, signedContent } from './sign.js';
import type { VerifyingKey } from './signing-keys.js';

/** The reasons to refuse a request. A code never changes its meaning. */
// prettier-ignore
const REFUSALS = {
  'header.missing':       'webhook-id, webhook-timestamp and webhook-signature are required',
  'header.repeated':      'webhook-id, webhook-timestamp and webhook-signature are sent once each',
  'id.malformed':         'webhook-id is 1 to 255 visible ASCII characters',
  'timestamp.malformed':  'webhook-timestamp is a whole number of seconds since 1970',
  'timestamp.too_old':    'webhook-timestamp is too far in the past',
  'timestamp.too_new':    'webhook-timestamp is too far in the future',
  'signature.malformed':  'webhook-signature holds no whole signature',
  'signature.too_many':   'webhook-signature holds too many signatures',
  'signature.unsupported':'webhook-signature holds no signature of a kind that a key here verifies',
  'signature.mismatch':   'no signature matches the body: check that the secret is that of the subscription',
} as const;
export type RefusalCode = keyof typeof REFUSALS;

export type VerificationResult =
  { ok: true; id: string; timestamp: number } | { ok: false; code: RefusalCode; message: string };

type HeaderValue = string | readonly string[] | undefined;

export interface Verification {
  /** Headers of Node (`req.headers`) or of fetch. */
  headers: { get(name: string): string | null } | Readonly<Record<string, HeaderValue>>;
  /** The raw bytes, before any parser. */
  body: string | Uint8Array;
  /** One matching key is enough. */
  keys: readonly VerifyingKey[];
  toleranceSeconds?: number;
  now?: () => number;
}

/** Limit for hostile headers; far more than the keys in use. */
const MOST_SIGNATURES = 20;
const RECEIVED_ID = /^[\x21-\x7e]{1,255}$/;
const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;
const FORMS = { v1: /^[A-Za-z0-9+/]{43}=$/, v1a: /^[A-Za-z0-9+/]{86}==$/ } as const;
const VERSIONS = { hmac: 'v1', ed25519: 'v1a' } as const;

interface Signature {
  version: keyof typeof FORMS;
  text: string;
}

/**
 * Verifies the signature of a request by Standard Webhooks 1.0; the body is never parsed. Unknown versions in the list
 * are skipped, so that a sender may add new ones.
 * @param verification `toleranceSeconds` is 5 minutes both ways; `now` is in milliseconds
 */
export function verifyWebhook(verification: Verification): VerificationResult {
  const { headers, body, keys, toleranceSeconds = 300, now = Date.now } = verification;
  const read = (name: string) => readHeader(headers, name);
  const [id, time, list] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  if (Array.isArray(id) || Array.isArray(time) || Array.isArray(list)) return refuse('header.repeated');
  if (!isText(id) || !isText(time) || list === undefined) return refuse('header.missing');
  if (!RECEIVED_ID.test(id)) return refuse('id.malformed');
  if (!SECONDS.test(time)) return refuse('timestamp.malformed');
  const timestamp = Number(time);
  const age = Math.floor(now() / 1_000) - timestamp;
  if (age > toleranceSeconds) return refuse('timestamp.too_old');
  if (-age > toleranceSeconds) return refuse('timestamp.too_new');

  const signatures = parseSignatures(String(list));
  if (!Array.isArray(signatures)) return refuse(signatures);
  const content = signedContent(id, time, body);
  const tried = keys.flatMap((key) =>
    signatures.filter(({ version }) => version === VERSIONS[key.kind]).map(({ text }) => fits(key, content, text)),
  );
  if (tried.length === 0) return refuse('signature.unsupported');
  return tried.includes(true) ? { ok: true, id, timestamp } : refuse('signature.mismatch');
}

/** @returns the well-formed signatures of known versions, or the code of the refusal */
function parseSignatures(list: string): Signature[] | RefusalCode {
  const tokens = list.split(' ').map((token): [string, string] => {
    const comma = token.indexOf(',');
    return comma < 0 ? [token, ''] : [token.slice(0, comma), token.slice(comma + 1)];
  });
  const known = tokens.flatMap(([version, text]) => (isVersion(version) ? [{ version, text }] : []));
  if (known.length > MOST_SIGNATURES) return 'signature.too_many';
  if (known.length === 0)
    return tokens.some(([, text]) => text !== '') ? 'signature.unsupported' : 'signature.malformed';
  const whole = known.filter(({ version, text }) => FORMS[version].test(text));
  return whole.length > 0 ? whole : 'signature.malformed';
}

/** Compares texts instead of bytes: only the canonical spelling is valid. */
function fits(key: VerifyingKey, content: Buffer, text: string): boolean {
  if (key.kind === 'hmac') return timingSafeEqual(Buffer.from(hmacOf(key.secret, content)), Buffer.from(text));
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text && verifyBytes(null, content, key.publicKey, bytes);
}

function readHeader(headers: Verification['headers'], name: string): HeaderValue {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.keys(headers).filter((key) => key.toLowerCase() === name);
  const given = values.flatMap((key) => headers[key] ?? []);
  return given.length > 1 ? given : given[0];
}

const isHeaders = (headers: Verification['headers']): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';
const isText = (value: HeaderValue): value is string => typeof value === 'string' && value !== '';
const isVersion = (text: string): text is Signature['version'] => Object.hasOwn(FORMS, text);
const refuse = (code: RefusalCode): VerificationResult => ({ ok: false, code, message: REFUSALS[code] });
