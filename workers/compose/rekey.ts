import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { resealSpec } from '../../lifecycle/stores/sealed-connection.js';
import { resealHeaders } from '../../notifications/delivery/sealed-headers.js';
import { resealKeys } from '../../notifications/delivery/sealed-keys.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import { createResealing, type ResealCounts, type Resealing } from '../../platform/stores/resealing.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';

/** The sealed texts of an installation after a pass over all of them. */
export interface RekeyResult {
  connections: ResealCounts;
  subscriptions: ResealCounts;
  /** Pipelines that messages start: until an earlier key is dropped, their secrets of that key are accepted too. */
  triggered: string[];
}

export interface RekeyDeps {
  connections: ResourceStore<Connection>;
  subscriptions: ResourceStore<Subscription>;
  pipelines: Pick<ResourceStore<Pipeline>, 'list'>;
  box: SecretBox;
}

/**
 * Seals every stored secret again with the present key. Each record is one write of its own, which a change under way
 * makes it repeat: it may run beside API and workers, end at any moment, and be started again.
 */
export async function rekey({ connections, subscriptions, pipelines, box }: RekeyDeps): Promise<RekeyResult> {
  return {
    connections: await resealAll(connections, box, (each, resealing) => ({
      ...each,
      spec: resealSpec(each, resealing),
    })),
    subscriptions: await resealAll(subscriptions, box, resealSubscription),
    triggered: (await pipelines.list()).filter(({ spec }) => spec.triggers.webhook.enabled).map(({ id }) => id),
  };
}

const resealSubscription = (each: Subscription, resealing: Resealing): Subscription => ({
  ...each,
  spec: { ...each.spec, headers: resealHeaders({ id: each.id, headers: each.spec.headers }, resealing) },
  status: { ...each.status, keys: resealKeys(each, resealing) },
});

async function resealAll<E extends AnyResource>(
  store: ResourceStore<E>,
  box: SecretBox,
  change: (resource: E, resealing: Resealing) => E,
): Promise<ResealCounts> {
  const sum: ResealCounts = { resealed: 0, current: 0, failures: [] };
  for (const { id } of await store.list()) {
    const { resealed, current, failures } = await resealOne(store, id, (each) => {
      const resealing = createResealing(box);
      return { changed: change(each, resealing), counts: resealing.counts };
    });
    sum.resealed += resealed;
    sum.current += current;
    sum.failures.push(...failures);
  }
  return sum;
}

/** @returns the counts of the attempt that was committed; none for a resource that was removed meanwhile */
async function resealOne<E extends AnyResource>(
  store: ResourceStore<E>,
  id: string,
  change: (resource: E) => { changed: E; counts: ResealCounts },
): Promise<ResealCounts> {
  let counts: ResealCounts = { resealed: 0, current: 0, failures: [] };
  try {
    await store.update(id, (current) => {
      const result = change(current);
      counts = result.counts;
      return counts.resealed === 0 ? undefined : result.changed;
    });
    return counts;
  } catch (err) {
    if (err instanceof SlipwayError && err.code === 'not_found') return { resealed: 0, current: 0, failures: [] };
    throw err;
  }
}
