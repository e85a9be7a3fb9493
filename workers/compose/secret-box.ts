import type { Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createKeyRing, type KeyRing } from '../../platform/stores/key-ring.js';
import { type SecretBox, secretBoxOf } from '../../platform/stores/secrets.js';

type KeySettings = Pick<Settings, 'SLIPWAY_SECRET_KEY' | 'SLIPWAY_OLD_SECRET_KEYS'>;

/** @throws validation_failed when no key is configured: secrets are never stored in plain text */
export const openSecretBox = (settings: KeySettings): SecretBox => secretBoxOf(openKeyRing(settings));

/** @throws as `openSecretBox` */
export function openKeyRing({ SLIPWAY_SECRET_KEY: key, SLIPWAY_OLD_SECRET_KEYS: oldKeys }: KeySettings): KeyRing {
  if (key !== undefined) return createKeyRing({ key, oldKeys });
  throw new SlipwayError('validation_failed', 'SLIPWAY_SECRET_KEY is not set; make one with: openssl rand -base64 32');
}
