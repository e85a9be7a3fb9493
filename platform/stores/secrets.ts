import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { SlipwayError } from '../kinds/errors.js';

/** Encrypts what must not be readable in the database. The sealed text names its key, so that keys can rotate. */
export interface SecretBox {
  seal(plain: string): string;
  /** @throws internal when the key is not known, or the text was changed; the message holds neither text nor secret */
  open(sealed: string): string;
  /**
   * A secret of 32 bytes for one purpose: the same each time, and of no use for another purpose.
   * @returns that of the present key first, then those of earlier keys
   */
  derive(purpose: string): Buffer[];
}

export interface SecretBoxOptions {
  /** 32 bytes in Base64; seals, and opens what it sealed. */
  key: string;
  /** Earlier keys: they only open. */
  oldKeys?: readonly string[];
}

const FORM = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM; `v1.<key id>.<nonce, tag and text in Base64url>`, the first two authenticated too.
 * @throws validation_failed when a key is not 32 bytes in Base64
 */
export function createSecretBox({ key, oldKeys = [] }: SecretBoxOptions): SecretBox {
  const current = parseKey(key, 'SLIPWAY_SECRET_KEY');
  const old = oldKeys.map((text) => parseKey(text, 'SLIPWAY_OLD_SECRET_KEYS'));
  const keys = new Map([...old, current].map((known) => [known.id, known.bytes]));

  return {
    derive: (purpose) =>
      [current, ...old].map(({ bytes }) => createHmac('sha256', bytes).update(`slipway derive ${purpose}`).digest()),

    seal(plain) {
      const header = `v1.${current.id}`;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.bytes, nonce).setAAD(Buffer.from(header));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${header}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open(sealed) {
      const [, id = '', body = ''] = FORM.exec(sealed) ?? [];
      if (id === '') throw new SlipwayError('internal', 'a stored secret is not in sealed form');
      const bytes = keys.get(id);
      if (bytes === undefined) {
        const hint = 'add it to SLIPWAY_OLD_SECRET_KEYS';
        throw new SlipwayError(
          'internal',
          `a stored secret was sealed with key ${id}, which is not configured: ${hint}`,
        );
      }
      const raw = Buffer.from(body, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', bytes, raw.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(`v1.${id}`)).setAuthTag(raw.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = decipher.update(raw.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SlipwayError('internal', `a stored secret sealed with key ${id} was changed or cut`, { cause });
      }
    },
  };
}

function parseKey(text: string, setting: string): { id: string; bytes: Buffer } {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32 || bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new SlipwayError(
      'validation_failed',
      `${setting} must be 32 bytes in Base64, such as: openssl rand -base64 32`,
    );
  }
  // A part of the hash, so that the id reveals nothing of the key.
  return { id: createHash('sha256').update('slipway key id').update(bytes).digest('hex').slice(0, 8), bytes };
}
