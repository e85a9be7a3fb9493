import { secretPlaces } from '../../platform/kinds/secret-places.js';
import type { Resealing } from '../../platform/stores/resealing.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { liveKeys, type SubscriptionKey } from '../kinds/subscription.js';
import { parseSigningKey, type SigningKey } from './signing-keys.js';

/** A subscription, as far as its keys are concerned. */
export interface KeyOwner {
  id: string;
  status: { keys: readonly SubscriptionKey[] };
}

/** Returns the keys that sign now. */
export const openSigningKeys = (owner: KeyOwner, box: Pick<SecretBox, 'open'>, now: Date): SigningKey[] =>
  liveKeys(owner.status.keys, now).map((key) => parseSigningKey(openKey(owner.id, key, box)));

/** Returns the text of a key. */
export const openKey = (
  subscription: string,
  { kid, secret }: Pick<SubscriptionKey, 'kid' | 'secret'>,
  box: Pick<SecretBox, 'open'>,
): string => box.open(secret, secretPlaces.signingKey(subscription, kid));

/** Returns the keys as they are sealed today. */
export const resealKeys = ({ id, status }: KeyOwner, { reseal }: Pick<Resealing, 'reseal'>): SubscriptionKey[] =>
  status.keys.map((key) => ({ ...key, secret: reseal(key.secret, secretPlaces.signingKey(id, key.kid)) }));
