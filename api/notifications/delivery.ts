import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import { applyDecision, type Decision } from '../../notifications/stores/operator-actions.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import type { Delivery } from '../../notifications/delivery/delivery.js';
import { HTTP_TYPE, writeRequest } from './delivery-request.js';
import { createDeliveryList, type DeliveryListOptions } from './delivery-list.js';
import { createFailedDeliveries, type FailedDeliveriesOptions } from './failed-deliveries.js';
import { requireOwnKey } from './subscription-owner.js';
import { requireNotDisabled } from './requires-sending.js';
import { createReadDeliveryDetail, toDelivery, writeDeliveryDetail } from './delivery-view.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import type { Notifications } from './subscription-access.js';

export interface DeliveryRoutesOptions
  extends Omit<DeliveryListOptions, 'readDetail'>, Pick<FailedDeliveriesOptions, 'subscriptions'> {
  ledger: AttemptLedger;
  notifications: Notifications;
  /** The `user-agent` of attempts. */
  userAgent: string;
  now?: () => Date;
}

/** `/v2/subscriptions/{id}/deliveries`: deliveries and their attempts. */
export function createDeliveryRoutes(options: DeliveryRoutesOptions) {
  const { outbox, ledger, progress, interventions, notifications, load, userAgent } = options;
  const { now = () => new Date() } = options;
  const readDetail = createReadDeliveryDetail({ ledger, now });
  const list = createDeliveryList({ ...options, readDetail });

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    const detail = await readDetail(subscription, await findEntry(subscription, ctx));
    ctx.type = 'application/json';
    ctx.body = writeDeliveryDetail(subscription, detail);
  };

  /** Sends the exact bytes of the event; the whole request of the newest attempt if the client accepts `message/http`. */
  const request: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    const entry = await findEntry(subscription, ctx);
    ctx.set('Vary', 'Accept');
    if (ctx.accepts(CONTENT_TYPE, HTTP_TYPE) === HTTP_TYPE) {
      const detail = await readDetail(subscription, entry);
      ctx.type = HTTP_TYPE;
      ctx.body = writeRequest(subscription, detail, userAgent);
      return;
    }
    ctx.type = CONTENT_TYPE;
    ctx.body = entry.event.body;
  };

  async function findEntry({ id }: Subscription, { params }: ReferenceContext) {
    const sequence = /^[1-9]\d{0,14}$/.test(params.sequence ?? '') ? Number(params.sequence) : 0;
    const found = await outbox.find(id, sequence);
    if (found === undefined)
      throw new SlipwayError(
        'delivery.not_found',
        `the subscription has no delivery ${params.sequence ?? ''}: list its deliveries`,
      );
    return found;
  }

  /** Enters decisions into the ledger that a process which died had only logged. @returns the end of the log */
  async function catchUp(subscription: string, sequence: number): Promise<number> {
    const known = (await progress.get(subscription))?.interventions ?? 0;
    const { actions, position } = await interventions.read(subscription, known);
    for (const { sequences, decision } of actions) {
      if (decision === undefined || !sequences.includes(sequence)) continue;
      await applyDecision(ledger, { subscription, sequence }, decision);
      await notifications.wake(subscription);
    }
    return position;
  }

  /**
   * Applies a decision of an operator to one delivery and wakes its worker. The decision is logged before the ledger is
   * changed: if this process dies in between, the worker enters it.
   */
  const act =
    (decide: Decide, { isOwners = true } = {}): ReferenceStep =>
    async (ctx) => {
      readQuery(ctx, []);
      const subscription = await load(ctx);
      if (isOwners) requireOwnKey(ctx, subscription);
      const { id } = subscription;
      const entry = await findEntry(subscription, ctx);
      const { sequence } = entry.event;
      const after = await catchUp(id, sequence);
      const { facts, delivery } = await readDetail(subscription, entry);
      const done = { at: now().toISOString(), actor: ctx.state.client.actor };
      const decision = decide(delivery, facts.reopenings.length, done, subscription);
      await interventions.add(id, [sequence], { after, decision });
      await applyDecision(ledger, { subscription: id, sequence }, decision);
      await notifications.wake(id);
      ctx.status = 202;
      ctx.body = toDelivery(subscription, await readDetail(subscription, entry));
    };

  /** Sends the delivery again, with the same id and bytes. */
  const resend = act(({ state }, episode, done, subscription) => {
    requireNotDisabled(subscription);
    if (state === 'pending' || state === 'sending' || state === 'checking') throw inFlight(state);
    return { reopening: { episode: episode + 1, ...done } };
  }, ANY_KEY);
  /** Records that a held delivery has arrived. */
  const confirm = act(({ state }, episode, done) => {
    if (state !== 'held') throw new SlipwayError('delivery.not_held', `the delivery is ${state}`);
    return { settlement: { episode, state: 'delivered', by: 'operator', ...done } };
  });
  const cancel = act(({ state }, episode, done) => {
    if (state === 'sending') throw inFlight(state);
    if (state === 'delivered' || state === 'failed' || state === 'cancelled') {
      throw new SlipwayError('delivery.not_held', `the delivery is ${state} already`);
    }
    return { settlement: { episode, state: 'cancelled', by: 'operator', ...done } };
  });

  return {
    list,
    listFailed: createFailedDeliveries({ ...options, readDetail }),
    read,
    request,
    resend,
    confirm,
    cancel,
  };
}

/** Sending again loses nothing: each key that may read the events may do it. */
const ANY_KEY = { isOwners: false };

/** @param episode the present one */
type Decide = (
  delivery: Delivery,
  episode: number,
  done: { at: string; actor: string },
  subscription: Subscription,
) => Decision;

const inFlight = (state: string): SlipwayError =>
  new SlipwayError('delivery.in_flight', `the delivery is ${state} and goes on by itself`);
