import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { parseDuration } from '../../platform/kinds/duration.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import {
  KEYS_KNOWN_MS,
  liveKeys,
  type Subscription,
  type SubscriptionKey,
} from '../../notifications/kinds/subscription.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { MOST_KEYS } from '../../notifications/delivery/sign.js';
import { createEd25519Pair, createHmacSecret } from '../../notifications/delivery/signing-keys.js';
import { readOptionalJson } from '../http/exact-json.js';
import { requireOwner } from './subscription-owner.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';
import { type KeyOwner, openKey, openSigningKeys } from '../../notifications/delivery/sealed-keys.js';

export interface SubscriptionKeysOptions {
  box: SecretBox;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  change: (ctx: ReferenceContext, to: (current: Subscription) => Subscription) => Promise<Subscription>;
  send: (ctx: ReferenceContext, subscription: Subscription, more?: object) => Promise<void>;
  now: () => Date;
  sleep: (ms: number) => Promise<unknown>;
}

const LIMIT_BYTES = 4_096;
const LONGEST_OVERLAP_MS = 7 * 86_400_000;
const Rotation = z.strictObject({
  kind: z.enum(['hmac', 'ed25519'], 'must be hmac or ed25519').default('hmac'),
  /** How long the keys before it still sign. */
  overlap: z
    .string('must be a duration')
    .refine((text) => (parseDuration(text) ?? Infinity) <= LONGEST_OVERLAP_MS, 'must be a duration of at most P7D')
    .default('PT24H'),
});

/** Keys that sign, and `/v2/subscriptions/{id}/secrets`: each is shown once, when it is made. */
export function createSubscriptionKeys({ box, load, change, send, now, sleep }: SubscriptionKeysOptions) {
  function newKey(subscription: string, kind: SubscriptionKey['kind']) {
    const pair = kind === 'hmac' ? undefined : createEd25519Pair();
    const secret = pair?.privateText ?? createHmacSecret();
    const kid = `k_${randomBytes(6).toString('hex')}`;
    const key: SubscriptionKey = {
      kid,
      kind,
      secret: box.seal(secret, secretPlaces.signingKey(subscription, kid)),
      created_at: now().toISOString(),
      expires_at: null,
    };
    // The receiver of a key pair gets the public half.
    return { key, shown: pair?.publicText ?? secret };
  }

  const rotate: ReferenceStep = async (ctx) => {
    const subscription = await load(ctx);
    requireOwner(ctx, subscription);
    const result = Rotation.safeParse(await readOptionalJson(ctx, { limitBytes: LIMIT_BYTES }));
    if (!result.success) throw new SlipwayError('entity.invalid', z.prettifyError(result.error));
    const { kind, overlap } = result.data;
    const until = new Date(now().getTime() + (parseDuration(overlap) ?? 0)).toISOString();
    const { key, shown } = newKey(subscription.id, kind);
    const changed = await change(ctx, (each) => {
      const before = liveKeys(each.status.keys, now()).map((old) => ({
        ...old,
        expires_at: earlier(old.expires_at, until),
      }));
      const keys = [key, ...liveKeys(before, now())];
      if (keys.length > MOST_KEYS) {
        throw new SlipwayError('secret.too_many', `at most ${MOST_KEYS} keys sign at once: remove one first`);
      }
      return { ...each, status: { ...each.status, keys } };
    });
    // A receiver that knows the key may rely on it: the reply comes when every worker signs with it.
    await sleep(KEYS_KNOWN_MS);
    ctx.status = 201;
    await send(ctx, changed, { secret: shown });
  };

  const cut: ReferenceStep = async (ctx) => {
    const { kid } = ctx.params;
    requireOwner(ctx, await load(ctx));
    await change(ctx, (each) => {
      const keys = each.status.keys.filter((key) => key.kid !== kid);
      if (keys.length === each.status.keys.length) throw new SlipwayError('key.not_found', 'it has no such key');
      if (keys.length === 0)
        throw new SlipwayError('secret.last', 'the last key cannot be removed: add another one first');
      return { ...each, status: { ...each.status, keys } };
    });
    await sleep(KEYS_KNOWN_MS);
    ctx.status = 204;
  };

  return {
    newKey,
    rotate,
    cut,
    signing: (subscription: KeyOwner) => openSigningKeys(subscription, box, now()),
    /** @returns the secret that was shown at creation; undefined for a key pair */
    shownFirst({ id, status }: Subscription): string | undefined {
      const first = status.keys.at(-1);
      if (first?.kind !== 'hmac') return undefined;
      return openKey(id, first, box);
    },
  };
}

const earlier = (one: string | null, other: string): string => (one !== null && one < other ? one : other);
