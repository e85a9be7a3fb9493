import { createHash } from 'node:crypto';
import { encrypt } from '../../../platform/stores/aes-gcm.js';

/** Seals a text as 0.1.0 did: with the key itself, bound to no place. */
export function sealBefore(key: string, plain: string): string {
  const bytes = Buffer.from(key, 'base64');
  const id = createHash('sha256').update('slipway key id').update(bytes).digest('hex').slice(0, 8);
  return `v1.${id}.${encrypt(bytes, Buffer.from(plain), `v1.${id}`).toString('base64url')}`;
}
