import { SlipwayError } from '../../resources/errors.js';
import type { Notice, OutboxBlock } from '../../resources/notice.js';
import type { Subscription } from '../../resources/subscription.js';
import type { AttemptLedger, DeliveryKey } from '../../stores/attempts.js';
import type { Interventions } from '../../stores/interventions.js';
import type { Outbox } from '../../stores/outbox.js';
import type { ProgressStore } from '../../stores/progress.js';
import { type Delivery, deliveryPolicyOf, foldDelivery } from '../../webhooks/delivery.js';
import { readQuery, toCount } from './query.js';
import type { ReferenceContext, ReferenceStep } from './state.js';
import type { Notifications } from './subscription.js';

export interface DeliveryRoutesOptions {
  outbox: Outbox;
  ledger: AttemptLedger;
  progress: ProgressStore;
  interventions: Interventions;
  notifications: Notifications;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  now?: () => Date;
}

const MOST = 100;

/** `/v2/subscriptions/{id}/deliveries`: what became of each notice, attempt by attempt. */
export function createDeliveryRoutes(options: DeliveryRoutesOptions) {
  const { outbox, ledger, progress, interventions, notifications, load, now = () => new Date() } = options;
  async function stateOf(subscription: Subscription, notice: Notice, mintedAt: string) {
    const facts = await ledger.read({ subscription: subscription.id, sequence: notice.sequence });
    const record = { noticeId: notice.id, mintedAt, ...facts };
    return { facts, delivery: foldDelivery(record, deliveryPolicyOf(subscription)) };
  }

  async function toDelivery(subscription: Subscription, notice: Notice, { at }: OutboxBlock) {
    const { facts, delivery } = await stateOf(subscription, notice, at);
    return {
      sequence: String(notice.sequence),
      notice_id: notice.id,
      event_id: notice.eventId,
      type: notice.type,
      about: notice.about,
      minted_at: at,
      ...delivery,
      ...('next' in delivery && { next: delivery.next, due_at: delivery.dueAt, dueAt: undefined, attempt: undefined }),
      attempts: facts.attempts.map(({ number, startedAt, deadline, end, late, receipts }) => ({
        number,
        started_at: startedAt,
        deadline,
        ...(end && {
          ended_at: end.at,
          outcome: end.outcome,
          status: end.status,
          latency_ms: end.latencyMs,
          error: end.error,
        }),
        ...(late && { late: { at: late.at, outcome: late.outcome, status: late.status } }),
        ...(receipts.length > 0 && { receipts }),
      })),
    };
  }

  /** Newest first. */
  const list: ReferenceStep = async (ctx) => {
    const { before, page_size } = readQuery(ctx, ['before', 'page_size']);
    const subscription = await load(ctx);
    const size = page_size === undefined ? 20 : toCount('page_size', page_size, { from: 1, to: MOST });
    const { sequence = 0 } = (await progress.get(subscription.id)) ?? {};
    const from =
      before === undefined ? sequence : toCount('before', before, { from: 1, to: Number.MAX_SAFE_INTEGER }) - 1;
    const sequences = Array.from({ length: size }, (_, index) => Math.min(from, sequence) - index).filter(
      (each) => each > 0,
    );
    const found = await Promise.all(sequences.map((each) => outbox.find(subscription.id, each)));
    const items = await Promise.all(
      found.flatMap((each) => (each === undefined ? [] : [toDelivery(subscription, each.notice, each.block)])),
    );
    const last = sequences.at(-1) ?? 1;
    ctx.body = { items, ...(last > 1 && { next: `?before=${last}&page_size=${size}` }) };
  };

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    const { notice, block } = await findNotice(subscription, ctx);
    ctx.body = { ...(await toDelivery(subscription, notice, block)), event: JSON.parse(notice.body) as unknown };
  };

  /** The exact bytes that are sent. */
  const request: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { notice } = await findNotice(await load(ctx), ctx);
    ctx.type = 'application/cloudevents+json';
    ctx.body = notice.body;
  };

  async function findNotice({ id }: Subscription, { params }: ReferenceContext) {
    const sequence = /^[1-9]\d{0,14}$/.test(params.sequence ?? '') ? Number(params.sequence) : 0;
    const found = await outbox.find(id, sequence);
    if (found === undefined)
      throw new SlipwayError('delivery.not_found', 'the subscription has no notice of this number');
    return found;
  }

  /** What somebody decides about one notice; whoever delivers it is told to look again. */
  const intervene =
    (decide: Decide): ReferenceStep =>
    async (ctx) => {
      readQuery(ctx, []);
      const subscription = await load(ctx);
      const { id } = subscription;
      const { notice, block } = await findNotice(subscription, ctx);
      const { sequence } = notice;
      const { facts, delivery } = await stateOf(subscription, notice, block.at);
      const episode = facts.reopenings.length;
      const done = { at: now().toISOString(), actor: ctx.state.client.actor };
      await decide(delivery, { key: { subscription: id, sequence }, episode, done });
      await interventions.add(id, [sequence], (await progress.get(id))?.interventions ?? 0);
      await notifications.wake(id);
      ctx.status = 202;
      ctx.body = await toDelivery(subscription, notice, block);
    };

  /** Once more, with the same id and bytes. */
  const resend = intervene(async ({ state }, { key, episode, done }) => {
    if (state === 'pending' || state === 'sending' || state === 'checking') throw inFlight(state);
    await ledger.reopen(key, { episode: episode + 1, ...done });
  });
  /** It has arrived, as somebody knows. */
  const confirm = intervene(async ({ state }, { key, episode, done }) => {
    if (state !== 'held') throw new SlipwayError('delivery.not_held', `the delivery is ${state}`);
    await ledger.settle(key, { episode, state: 'delivered', by: 'operator', ...done });
  });
  const cancel = intervene(async ({ state }, { key, episode, done }) => {
    if (state === 'sending') throw inFlight(state);
    if (state === 'delivered' || state === 'failed' || state === 'cancelled') {
      throw new SlipwayError('delivery.not_held', `the delivery is ${state} already`);
    }
    await ledger.settle(key, { episode, state: 'cancelled', by: 'operator', ...done });
  });

  return { list, read, request, resend, confirm, cancel };
}

interface Intervention {
  key: DeliveryKey;
  /** The present one. */
  episode: number;
  done: { at: string; actor: string };
}
type Decide = (delivery: Delivery, intervention: Intervention) => Promise<void>;

const inFlight = (state: string): SlipwayError =>
  new SlipwayError('delivery.in_flight', `the delivery is ${state} and goes on by itself`);
