import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import { applyDecision, type Decision } from '../../notifications/stores/operator-actions.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import type { Delivery } from '../../notifications/delivery/delivery.js';
import { HTTP_TYPE, writeRequest } from './delivery-request.js';
import { createDeliveryList, type DeliveryListOptions } from './delivery-list.js';
import { requireSending } from './requires-sending.js';
import { createReadDeliveryDetail, toDelivery, writeWholeDelivery } from './delivery-view.js';
import { requireFeedScopes } from './feed-page.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import type { Notifications } from './subscription.js';

export interface DeliveryRoutesOptions extends Omit<DeliveryListOptions, 'readStanding'> {
  ledger: AttemptLedger;
  notifications: Notifications;
  /** What receivers see. */
  userAgent: string;
  now?: () => Date;
}

/** `/v2/subscriptions/{id}/deliveries`: what became of each notice, attempt by attempt. */
export function createDeliveryRoutes(options: DeliveryRoutesOptions) {
  const { outbox, ledger, progress, interventions, notifications, load, userAgent } = options;
  const { now = () => new Date() } = options;
  const readStanding = createReadDeliveryDetail({ ledger, now });
  const list = createDeliveryList({ ...options, readStanding });

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    requireFeedScopes(ctx.state.client, subscription);
    const standing = await readStanding(subscription, await findNotice(subscription, ctx));
    ctx.type = 'application/json';
    ctx.body = writeWholeDelivery(subscription, standing);
  };

  /** The exact bytes that are sent; the whole request of the newest attempt for who asks for that. */
  const request: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    requireFeedScopes(ctx.state.client, subscription);
    const minted = await findNotice(subscription, ctx);
    ctx.set('Vary', 'Accept');
    if (ctx.accepts(CONTENT_TYPE, HTTP_TYPE) === HTTP_TYPE) {
      const standing = await readStanding(subscription, minted);
      ctx.type = HTTP_TYPE;
      ctx.body = writeRequest(subscription, standing, userAgent);
      return;
    }
    ctx.type = CONTENT_TYPE;
    ctx.body = minted.notice.body;
  };

  async function findNotice({ id }: Subscription, { params }: ReferenceContext) {
    const sequence = /^[1-9]\d{0,14}$/.test(params.sequence ?? '') ? Number(params.sequence) : 0;
    const found = await outbox.find(id, sequence);
    if (found === undefined)
      throw new SlipwayError('delivery.not_found', 'the subscription has no notice of this number');
    return found;
  }

  /** Brings into the ledger what others decided who died before they did. @returns where the words end */
  async function catchUp(subscription: string, sequence: number): Promise<number> {
    const known = (await progress.get(subscription))?.interventions ?? 0;
    const { words, position } = await interventions.read(subscription, known);
    for (const { sequences, decision } of words) {
      if (decision === undefined || !sequences.includes(sequence)) continue;
      await applyDecision(ledger, { subscription, sequence }, decision);
      await notifications.wake(subscription);
    }
    return position;
  }

  /**
   * What somebody decides about one notice; whoever delivers it is told to look again. The word comes before the fact:
   * should this process die in between, the one who delivers enters the fact.
   */
  const intervene =
    (decide: Decide): ReferenceStep =>
    async (ctx) => {
      readQuery(ctx, []);
      const subscription = await load(ctx);
      const { id } = subscription;
      const minted = await findNotice(subscription, ctx);
      const { sequence } = minted.notice;
      const after = await catchUp(id, sequence);
      const { facts, delivery } = await readStanding(subscription, minted);
      const done = { at: now().toISOString(), actor: ctx.state.client.actor };
      const decision = decide(delivery, facts.reopenings.length, done, subscription);
      await interventions.add(id, [sequence], { after, decision });
      await applyDecision(ledger, { subscription: id, sequence }, decision);
      await notifications.wake(id);
      ctx.status = 202;
      ctx.body = toDelivery(subscription, await readStanding(subscription, minted));
    };

  /** Once more, with the same id and bytes. */
  const resend = intervene(({ state }, episode, done, subscription) => {
    requireSending(subscription);
    if (state === 'pending' || state === 'sending' || state === 'checking') throw inFlight(state);
    return { reopening: { episode: episode + 1, ...done } };
  });
  /** It has arrived, as somebody knows. */
  const confirm = intervene(({ state }, episode, done) => {
    if (state !== 'held') throw new SlipwayError('delivery.not_held', `the delivery is ${state}`);
    return { settlement: { episode, state: 'delivered', by: 'operator', ...done } };
  });
  const cancel = intervene(({ state }, episode, done) => {
    if (state === 'sending') throw inFlight(state);
    if (state === 'delivered' || state === 'failed' || state === 'cancelled') {
      throw new SlipwayError('delivery.not_held', `the delivery is ${state} already`);
    }
    return { settlement: { episode, state: 'cancelled', by: 'operator', ...done } };
  });

  return { list, read, request, resend, confirm, cancel };
}

/** @param episode the present one */
type Decide = (
  delivery: Delivery,
  episode: number,
  done: { at: string; actor: string },
  subscription: Subscription,
) => Decision;

const inFlight = (state: string): SlipwayError =>
  new SlipwayError('delivery.in_flight', `the delivery is ${state} and goes on by itself`);
