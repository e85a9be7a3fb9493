import { SlipwayError } from '../kinds/errors.js';
import { isToken } from '../kinds/secret-places.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { createKeyRing, type KeyRing, type KeyRingOptions, type Purpose } from './key-ring.js';

/** Encrypts what must not be readable in the database. The sealed text names its key, so that keys can rotate. */
export interface SecretBox {
  /** @param place where the text will be, such as `Connection/wine-code/keySecret`: it opens nowhere else */
  seal(plain: string, place: string): string;
  /**
   * @throws internal when the key is not known, the text was changed, or was sealed for another place; the message holds
   *   neither text nor secret
   */
  open(sealed: string, place: string): string;
  /** Whether a text is sealed by the present key in the present form: others are sealed again by `secrets rekey`. */
  isCurrent(sealed: string): boolean;
  /**
   * A secret of 32 bytes for one purpose: the same each time, and of no use for another purpose.
   * @returns that of the present key first, then those of earlier keys
   */
  derive(purpose: string): Buffer[];
}

/** 0.1.0 sealed `v1`, with the key itself and without a place. */
const FORM = /^(v1|v2)\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** The box of these keys. @throws validation_failed when a key is not 32 bytes in Base64 */
export const createSecretBox = (options: KeyRingOptions): SecretBox => secretBoxOf(createKeyRing(options));

/** AES-256-GCM; `v2.<key id>.<nonce, tag and text in Base64url>`, the first two and the place authenticated too. */
export function secretBoxOf(ring: KeyRing): SecretBox {
  const { current, old } = ring;
  const header = `v2.${current.id}`;
  return {
    seal: (plain, place) =>
      `${header}.${encrypt(current.subkey(purposeOf(place)), Buffer.from(plain), boundTo(header, place)).toString('base64url')}`,
    open(sealed, place) {
      const [, form = '', id = '', body = ''] = FORM.exec(sealed) ?? [];
      if (id === '') throw new SlipwayError('internal', 'a stored secret is not in sealed form');
      const key = ring.find(id);
      if (key === undefined) {
        const hint = 'add it to SLIPWAY_OLD_SECRET_KEYS';
        throw new SlipwayError(
          'internal',
          `a stored secret was sealed with key ${id}, which is not configured: ${hint}`,
        );
      }
      const raw = Buffer.from(body, 'base64url');
      try {
        const opened =
          form === 'v1'
            ? decrypt(key.bytes, raw, `v1.${id}`)
            : decrypt(key.subkey(purposeOf(place)), raw, boundTo(`v2.${id}`, place));
        return opened.toString('utf8');
      } catch (cause) {
        const message = `a stored secret sealed with key ${id} was changed, cut, or sealed for another place`;
        throw new SlipwayError('internal', message, { cause });
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`${header}.`),
    derive: (purpose) => [current, ...old].map((key) => key.deriveSecret(purpose)),
  };
}

const purposeOf = (place: string): Purpose => (isToken(place) ? 'token' : 'seal');

const boundTo = (header: string, place: string): string => `${header} ${place}`;
