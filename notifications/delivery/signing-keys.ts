import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** Signs: the shared secret of `v1`, or the private half of `v1a`. */
export type SigningKey = HmacKey | { kind: 'ed25519'; privateKey: KeyObject };
/** Verifies: the shared secret of `v1`, or the public half of `v1a`. */
export type VerifyingKey = HmacKey | { kind: 'ed25519'; publicKey: KeyObject };
interface HmacKey {
  kind: 'hmac';
  secret: KeyObject; // its bytes do not show in a log
}

/** Key text that is not what its prefix says. The message never holds any of it. */
export class WebhookKeyError extends Error {
  readonly code = 'key.malformed';
  constructor(message: string) {
    super(message);
    this.name = 'WebhookKeyError';
  }
}

const HMAC_PREFIX = 'whsec_';
const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const ED25519_BYTES = 32;
// Standard Webhooks requires secrets of 192 to 512 bits.
const HMAC_BYTES = { least: 24, most: 64 };
// DER of an Ed25519 private key up to its 32 bytes (RFC 8410, section 7).
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @returns `whsec_` and Base64 of 32 random bytes */
export const createHmacSecret = (): string => HMAC_PREFIX + randomBytes(32).toString('base64');

/** @returns both halves as text: `whsk_` is for storage under encryption, `whpk_` is for the receiver */
export function createEd25519Pair(): { privateText: string; publicText: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  const privateText = PRIVATE_PREFIX + seed.toString('base64');
  return { privateText, publicText: publicTextOf(privateText) };
}

/** The receiver's half of a stored key: the secret itself, or `whpk_` of a `whsk_`. @throws WebhookKeyError */
export function publicTextOf(text: string): string {
  const key = parseSigningKey(text);
  if (key.kind === 'hmac') return text;
  return PUBLIC_PREFIX + rawPublic(createPublicKey(key.privateKey)).toString('base64');
}

/** Reads `whsec_` or `whsk_`. @throws WebhookKeyError */
export function parseSigningKey(text: string): SigningKey {
  if (!text.startsWith(PRIVATE_PREFIX)) return parseHmac(text, `${HMAC_PREFIX} or ${PRIVATE_PREFIX}`);
  const seed = readBase64(text.slice(PRIVATE_PREFIX.length), PRIVATE_PREFIX, ED25519_BYTES, ED25519_BYTES);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  return { kind: 'ed25519', privateKey };
}

/** Reads `whsec_` or `whpk_`. @throws WebhookKeyError */
export function parseVerifyingKey(text: string): VerifyingKey {
  if (!text.startsWith(PUBLIC_PREFIX)) return parseHmac(text, `${HMAC_PREFIX} or ${PUBLIC_PREFIX}`);
  const raw = readBase64(text.slice(PUBLIC_PREFIX.length), PUBLIC_PREFIX, ED25519_BYTES, ED25519_BYTES);
  const key = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  return { kind: 'ed25519', publicKey: createPublicKey({ key, format: 'jwk' }) };
}

/**
 * A member of `/.well-known/webhook-keys` (RFC 8037).
 * @param kid default is the thumbprint of the key (RFC 7638)
 * @throws WebhookKeyError when the text is no `whpk_`
 */
export function publicJwk(publicText: string, kid?: string): JsonWebKey {
  const key = parseVerifyingKey(publicText);
  if (key.kind !== 'ed25519') throw new WebhookKeyError('a shared secret has no public half');
  const x = rawPublic(key.publicKey).toString('base64url');
  // The members and their order are those that RFC 8037 hashes.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }));
  return { kty: 'OKP', crv: 'Ed25519', x, kid: kid ?? thumbprint.digest('base64url'), use: 'sig', alg: 'EdDSA' };
}

function parseHmac(text: string, expected: string): HmacKey {
  if (!text.startsWith(HMAC_PREFIX)) throw new WebhookKeyError(`a key begins with ${expected}`);
  const secret = readBase64(text.slice(HMAC_PREFIX.length), HMAC_PREFIX, HMAC_BYTES.least, HMAC_BYTES.most);
  return { kind: 'hmac', secret: createSecretKey(secret) };
}

/** Strict: another spelling of the same bytes is most likely a key that was cut or pasted wrongly. */
function readBase64(text: string, prefix: string, least: number, most: number): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new WebhookKeyError(`what follows ${prefix} is not padded Base64`);
  if (bytes.length >= least && bytes.length <= most) return bytes;
  const size = least === most ? `${least}` : `${least} to ${most}`;
  throw new WebhookKeyError(`${prefix} holds ${size} bytes, not ${bytes.length}`);
}

const rawPublic = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
