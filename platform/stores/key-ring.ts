import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { SlipwayError } from '../kinds/errors.js';

/** The keys of an installation: the first one is in force, the others are earlier ones. */
export interface KeyRing {
  current: RingKey;
  old: readonly RingKey[];
  find(id: string): RingKey | undefined;
}

export interface RingKey {
  /** Eight hexadecimal digits that stand beside what the key encrypted; they reveal nothing of it. */
  id: string;
  /** A key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869): of no use for another purpose, and none leads back. */
  subkey(purpose: Purpose): Buffer;
  /** The key itself: only what 0.1.0 sealed is opened with it. */
  bytes: Buffer;
  /**
   * Secrets of pipelines. They are in the hands of senders and receivers, so their derivation can never change: no HKDF,
   * but an HMAC of the key itself, which no other purpose uses any more.
   */
  deriveSecret(purpose: string): Buffer;
}

/** `seal`: secrets in the database. `token`: cursors and page tokens, of which there are many. `codec`: payloads in Temporal. */
export type Purpose = 'seal' | 'token' | 'codec';

export interface KeyRingOptions {
  /** 32 bytes in Base64. */
  key: string;
  /** Earlier keys: they only open. */
  oldKeys?: readonly string[];
}

/** @throws validation_failed when a key is not 32 bytes in Base64 */
export function createKeyRing({ key, oldKeys = [] }: KeyRingOptions): KeyRing {
  const current = parseKey(key, 'SLIPWAY_SECRET_KEY');
  const old = oldKeys.map((text) => parseKey(text, 'SLIPWAY_OLD_SECRET_KEYS'));
  const byId = new Map([...old, current].map((known) => [known.id, known]));
  return { current, old, find: (id) => byId.get(id) };
}

function parseKey(text: string, setting: string): RingKey {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32 || bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new SlipwayError(
      'validation_failed',
      `${setting} must be 32 bytes in Base64, such as: openssl rand -base64 32`,
    );
  }
  const derived = new Map<Purpose, Buffer>();
  return {
    id: createHash('sha256').update('slipway key id').update(bytes).digest('hex').slice(0, 8),
    bytes,
    subkey(purpose) {
      const subkey =
        derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', bytes, 'slipway', `slipway ${purpose}`, 32));
      derived.set(purpose, subkey);
      return subkey;
    },
    deriveSecret: (purpose) => createHmac('sha256', bytes).update(`slipway derive ${purpose}`).digest(),
  };
}
