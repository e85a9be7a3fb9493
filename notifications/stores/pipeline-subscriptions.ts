import { createHash } from 'node:crypto';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { noticeSecrets, secretText } from '../../lifecycle/stores/webhook-secrets.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson } from '../../platform/kinds/generation.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import type { PlatformStream } from '../../platform/kinds/platform-event.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { addressesOf, type PipelineAddress, pipelineSubscriptionId } from '../kinds/pipeline-subscription.js';
import type { Subscription, SubscriptionKey } from '../kinds/subscription.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';

/** The subscriptions that pipelines own: one for each address of `notify`. */
export interface PipelineSubscriptions {
  /** Creates and updates the subscriptions that a pipeline asks for; removes none. @returns how many it wrote */
  ensure(pipeline: Pipeline): Promise<number>;
  /** Brings the subscriptions of a pipeline in line with its spec. */
  reconcile(pipeline: Pipeline): Promise<void>;
  /** Removes the subscriptions of a deleted pipeline. */
  remove(pipeline: Pick<Pipeline, 'uid'>): Promise<void>;
  /** Creates and updates the subscriptions of each pipeline: heals a crash after the write of the pipeline. */
  repairs(): AsyncIterable<LoopItem>;
  /** Removes each subscription that no pipeline asks for any more. */
  removals(): AsyncIterable<LoopItem>;
}

export interface PipelineSubscriptionsOptions {
  subscriptions: ResourceStore<Subscription>;
  pipelines: Pick<ResourceStore<Pipeline>, 'get' | 'list'>;
  /** Position of the newest entry of a stream: a subscription starts after it. */
  endOfStream: (stream: PlatformStream) => Promise<number>;
  box: Pick<SecretBox, 'seal' | 'derive'>;
  now?: () => Date;
  newId: () => string;
}

export function createPipelineSubscriptions(options: PipelineSubscriptionsOptions): PipelineSubscriptions {
  const { subscriptions, pipelines, endOfStream, box, now = () => new Date(), newId } = options;

  /** Returns the key that signs. Its id follows from the secret, so that an unchanged secret leaves the key as it is. */
  function keyOf(subscription: string, pipeline: Pipeline): SubscriptionKey {
    const secret = secretText(noticeSecrets(box, pipeline)[0]);
    const kid = `k_${createHash('sha256').update(`key id ${secret}`).digest('hex').slice(0, 12)}`;
    const sealed = box.seal(secret, secretPlaces.signingKey(subscription, kid));
    return { kid, kind: 'hmac', secret: sealed, created_at: now().toISOString(), expires_at: null };
  }

  async function insert(id: string, pipeline: Pipeline, { spec }: PipelineAddress): Promise<boolean> {
    const at = now().toISOString();
    const starts_at = { pipeline: { position: await endOfStream('pipeline'), index: 0 } };
    return subscriptions
      .insert({
        ...{ kind: 'Subscription', id, uid: newId(), spec, generation: 1, revision: 1 },
        ...{ createdAt: at, updatedAt: at, createdBy: pipeline.updatedBy, updatedBy: pipeline.updatedBy },
        status: {
          // Active at once: an address of `notify` receives events also when it does not answer probes.
          ...{ state: 'active', reason: null, keys: [keyOf(id, pipeline)], level: 'L0', receipts: 'none' },
          ...{ checked_at: null, starts_at, declarations: {} },
          owner: ownerOf(pipeline),
        },
      })
      .then(() => true, unlessExists);
  }

  async function update(id: string, pipeline: Pipeline, { spec }: PipelineAddress): Promise<boolean> {
    const key = keyOf(id, pipeline);
    let written = false;
    await subscriptions.update(id, (current) => {
      written = false;
      const { state, owner, keys } = current.status;
      // A repair that read the pipeline before its last change must not bring the former settings back.
      if (state === 'removed' || (owner?.generation ?? 0) > pipeline.generation) return undefined;
      const isSameSpec = isSameJson(current.spec, spec);
      const isSameKey = keys.length === 1 && keys[0]?.kid === key.kid;
      if (isSameSpec && isSameKey) return undefined;
      written = true;
      return {
        ...current,
        spec,
        status: { ...current.status, keys: isSameKey ? keys : [key], owner: ownerOf(pipeline) },
        generation: isSameSpec ? current.generation : current.generation + 1,
        updatedAt: now().toISOString(),
        updatedBy: pipeline.updatedBy,
      };
    });
    return written;
  }

  async function ensure(pipeline: Pipeline): Promise<number> {
    let count = 0;
    for (const address of addressesOf(pipeline)) {
      for (let incarnation = 0; ; incarnation += 1) {
        const id = pipelineSubscriptionId(pipeline.uid, address, incarnation);
        const found = await subscriptions.get(id);
        if (found?.status.state === 'removed') continue;
        const written = await (found === undefined ? insert : update)(id, pipeline, address);
        count += written ? 1 : 0;
        break;
      }
    }
    return count;
  }

  /** Returns those of `owned` that no pipeline in `wanted` asks for. */
  function orphansOf(owned: readonly Subscription[], wanted: readonly Pipeline[]): Subscription[] {
    const keyOfAddress = (uid: string, url: string | null): string => `${uid} ${url}`;
    const kept = new Set(
      wanted.flatMap((pipeline) => addressesOf(pipeline).map(({ url }) => keyOfAddress(pipeline.uid, url))),
    );
    return owned.filter(({ spec, status }) => !kept.has(keyOfAddress(status.owner?.uid ?? '', spec.url)));
  }

  async function removeOne({ id }: Subscription): Promise<void> {
    await subscriptions.update(id, (current) =>
      current.status.state === 'removed'
        ? undefined
        : { ...current, status: { ...current.status, state: 'removed', keys: [] }, updatedAt: now().toISOString() },
    );
  }

  async function removeAll(orphans: readonly Subscription[]): Promise<void> {
    for (const orphan of orphans) await removeOne(orphan);
  }

  const listOwned = async (): Promise<Subscription[]> =>
    (await subscriptions.list()).filter(({ status }) => status.state !== 'removed' && status.owner !== undefined);
  const listOwnedBy = async (uid: string): Promise<Subscription[]> =>
    (await listOwned()).filter(({ status }) => status.owner?.uid === uid);

  /** The pipelines when no subscription was without one: only a change of a pipeline leaves some. */
  let looked: string | undefined;

  return {
    ensure,
    async reconcile(pipeline) {
      await ensure(pipeline);
      await removeAll(orphansOf(await listOwnedBy(pipeline.uid), [pipeline]));
    },
    remove: async ({ uid }) => removeAll(await listOwnedBy(uid)),
    async *repairs() {
      const notifying = (await pipelines.list()).filter((pipeline) => addressesOf(pipeline).length > 0);
      for (const { id } of notifying) yield { name: id, act: () => repair(id) };
    },
    async *removals() {
      const state = (await pipelines.list()).map(({ uid, generation }) => `${uid} ${generation}`).join();
      if (state === looked) return;
      // Subscriptions first: one of a pipeline that is created in between must not look orphaned.
      const owned = await listOwned();
      const orphans = orphansOf(owned, await pipelines.list());
      for (const orphan of orphans) {
        const act = () => removeOne(orphan).then(() => ({ subscriptions_written: 1 }));
        yield { name: orphan.id, act };
      }
      if (orphans.length === 0) looked = state;
    },
  };

  async function repair(id: string) {
    const pipeline = await pipelines.get(id);
    const written = pipeline === undefined ? 0 : await ensure(pipeline);
    return written === 0 ? undefined : { subscriptions_written: written };
  }
}

const ownerOf = ({ id, uid, generation }: Pipeline) => ({ pipeline: id, uid, generation });

function unlessExists(err: unknown): false {
  if (!(err instanceof SlipwayError && err.code === 'already_exists')) throw err;
  return false;
}
