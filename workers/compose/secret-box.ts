import type { Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createSecretBox, type SecretBox } from '../../platform/stores/secrets.js';

/** @throws validation_failed when no key is configured: secrets are never stored in plain text */
export function openSecretBox({ SLIPWAY_SECRET_KEY: key, SLIPWAY_OLD_SECRET_KEYS: oldKeys }: Settings): SecretBox {
  if (key !== undefined) return createSecretBox({ key, oldKeys });
  throw new SlipwayError('validation_failed', 'SLIPWAY_SECRET_KEY is not set; make one with: openssl rand -base64 32');
}
