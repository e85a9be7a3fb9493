import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { guaranteeText } from '../../notifications/delivery/guarantee.js';
import { maskHeaders } from '../../notifications/delivery/sealed-headers.js';
import { ownerOf } from './subscription-owner.js';
import { filteredTypes } from './subscription-types.js';

/** A subscription as clients see it: what was asked for beside what became of it. No secret is in it. */
export function toSubscription(subscription: Subscription, progress: SubscriptionProgress | undefined) {
  const { id, spec, status, generation, createdAt, updatedAt, createdBy, updatedBy } = subscription;
  return {
    id,
    ...spec,
    headers: maskHeaders(spec.headers),
    owner: ownerOf(subscription),
    ...(spec.filter !== null && { filter_applies_to: filteredTypes(spec, status.declarations) }),
    state: status.state,
    ...(status.reason !== null && { reason: status.reason }),
    ...(status.failing !== undefined && { failing: status.failing }),
    ...(status.fault !== undefined && { fault: status.fault }),
    ...(status.backlog !== undefined && { backlog: status.backlog }),
    level: {
      proven: spec.mode === 'pull' ? 'L3' : status.level,
      checked_at: status.checked_at,
      evidence: status.probe?.steps ?? [],
    },
    ...(status.allowed_rate !== undefined && { allowed_rate: status.allowed_rate }),
    guarantee: { text: guaranteeText(subscription) },
    keys: status.keys.map(({ kid, kind, created_at, expires_at }) => ({
      ...{ kid, kind, created_at, expires_at },
      last_used_at: progress?.keysUsed?.[kid] ?? null,
    })),
    starts_at: positionsOf(status.starts_at),
    effective_after: positionsOf(status.effective?.after ?? status.starts_at),
    minted: progress?.sequence ?? 0,
    counts: progress?.counts ?? { pending: 0, held: 0, delivered: 0, failed: 0, cancelled: 0 },
    generation,
    created_at: createdAt,
    updated_at: updatedAt,
    created_by: createdBy,
    updated_by: updatedBy,
  };
}

const positionsOf = (places: SourcePositions): Record<string, number> =>
  Object.fromEntries(Object.entries(places).map(([stream, { position }]) => [stream, position]));

export const subscriptionTag = ({ revision }: Subscription): string => `"${revision}"`;
