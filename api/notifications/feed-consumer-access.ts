import { isDeepStrictEqual } from 'node:util';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type ConsumerPosition, consumerId, type FeedConsumer } from '../../notifications/kinds/feed-consumer.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import { requireName } from './feed-page.js';
import { newResourceFields } from './new-resource.js';
import type { ReferenceContext } from '../reference/state.js';

export interface ConsumerAccessOptions {
  outbox: Outbox;
  consumers: ResourceStore<FeedConsumer>;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  now?: () => Date;
}

/** The consumer that a request names. */
export interface ConsumerRequest {
  subscription: Subscription;
  /** Id of the consumer, whether or not it exists. */
  id: string;
  actor: string;
}

/** Consumers of feeds, as their requests find and change them. */
export function createConsumerAccess({ outbox, consumers, load, now = () => new Date() }: ConsumerAccessOptions) {
  /** @throws feed.consumer_not_found */
  function change(
    { id, actor }: ConsumerRequest,
    to: (each: FeedConsumer) => Partial<FeedConsumer>,
  ): Promise<FeedConsumer> {
    const write = (each: FeedConsumer): FeedConsumer | undefined => {
      const changed = { ...each, ...to(each) };
      return isDeepStrictEqual(changed, each)
        ? undefined
        : { ...changed, updatedAt: now().toISOString(), updatedBy: actor };
    };
    return consumers.update(id, write).catch(toUnknown);
  }

  return {
    async open(ctx: ReferenceContext): Promise<ConsumerRequest> {
      const subscription = await load(ctx);
      const id = consumerId(subscription.id, requireName(ctx.params.name));
      return { subscription, id, actor: ctx.state.client.actor };
    },

    /** @throws feed.consumer_not_found */
    async get({ id }: ConsumerRequest): Promise<FeedConsumer> {
      const consumer = await consumers.get(id);
      if (consumer === undefined) throw unknownConsumer();
      return consumer;
    },

    /** Finds the consumer, or creates it at the oldest event that is kept. */
    async ensure({ subscription, id, actor }: ConsumerRequest): Promise<FeedConsumer> {
      const found = await consumers.get(id);
      if (found !== undefined) return found;
      const { sequence } = await outbox.retained(subscription.id);
      const at = now().toISOString();
      const fresh: FeedConsumer = {
        kind: 'FeedConsumer',
        id,
        spec: { settles: false },
        status: { handedOut: sequence - 1, pending: [] },
        ...newResourceFields({ at, actor }),
      };
      return consumers.insert(fresh).catch(async (err: unknown) => {
        const other = await consumers.get(id);
        if (other === undefined) throw err;
        return other;
      });
    },

    change,

    /** @returns false after a lost race: another reader changed the consumer first */
    async take(request: ConsumerRequest, before: FeedConsumer, status: ConsumerPosition): Promise<boolean> {
      let isMine = true;
      await change(request, (each) => {
        isMine = each.revision === before.revision;
        return isMine ? { status } : {};
      });
      return isMine;
    },
  };
}
export type ConsumerAccess = ReturnType<typeof createConsumerAccess>;

export const unknownConsumer = () =>
  new SlipwayError('feed.consumer_not_found', 'the feed has no consumer of this name');

/** Maps the removal of a consumer during its use. */
function toUnknown(err: unknown): never {
  throw err instanceof SlipwayError && err.code === 'not_found' ? unknownConsumer() : err;
}
