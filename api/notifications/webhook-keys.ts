import type { JsonWebKey } from 'node:crypto';
import { liveKeys, type Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { publicJwk, publicTextOf } from '../../notifications/delivery/signing-keys.js';
import type { ReferenceStep } from '../reference/state.js';
import { openKey } from '../../notifications/delivery/sealed-keys.js';

export interface WebhookKeysOptions {
  subscriptions: ResourceStore<Subscription>;
  box: SecretBox;
  now?: () => Date;
}

/** Lifetime of the cache: the endpoint needs no credentials, so its load on the store must not depend on its callers. */
const KEPT_MS = 2_000;

/** `GET /.well-known/webhook-keys`: public halves of the Ed25519 keys that sign now, as a JWK Set (RFC 7517). */
export function createWebhookKeys({ subscriptions, box, now = () => new Date() }: WebhookKeysOptions): ReferenceStep {
  let kept: { until: number; keys: Promise<JsonWebKey[]> } | undefined;

  async function readKeys(): Promise<JsonWebKey[]> {
    const all = (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');
    return all
      .flatMap(({ id, status }) => liveKeys(status.keys, now()).map((key) => ({ id, key })))
      .filter(({ key }) => key.kind === 'ed25519')
      .map(({ id, key }) => publicJwk(publicTextOf(openKey(id, key, box)), key.kid));
  }

  return async (ctx) => {
    const at = now().getTime();
    if (kept === undefined || kept.until <= at) {
      const keys = readKeys();
      kept = { until: at + KEPT_MS, keys };
      keys.catch(() => (kept = undefined));
    }
    const keys = await kept.keys;
    ctx.set('Cache-Control', 'public, max-age=60');
    ctx.body = { keys };
    ctx.type = 'application/jwk-set+json';
  };
}
