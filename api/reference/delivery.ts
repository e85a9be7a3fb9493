import { SlipwayError } from '../../resources/errors.js';
import type { Notice, OutboxBlock } from '../../resources/notice.js';
import type { Subscription } from '../../resources/subscription.js';
import type { AttemptLedger } from '../../stores/attempts.js';
import type { Outbox } from '../../stores/outbox.js';
import type { ProgressStore } from '../../stores/progress.js';
import { foldDelivery } from '../../webhooks/delivery.js';
import { readQuery, toCount } from './query.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

export interface DeliveryRoutesOptions {
  outbox: Outbox;
  ledger: AttemptLedger;
  progress: ProgressStore;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
}

const MOST = 100;

/** `/v2/subscriptions/{id}/deliveries`: what became of each notice, attempt by attempt. */
export function createDeliveryRoutes({ outbox, ledger, progress, load }: DeliveryRoutesOptions) {
  async function toDelivery({ id, spec, status }: Subscription, notice: Notice, { at }: OutboxBlock) {
    const facts = await ledger.read({ subscription: id, sequence: notice.sequence });
    const policy = { schedule: spec.schedule, onAmbiguous: spec.on_ambiguous, receipts: status.receipts };
    const delivery = foldDelivery({ noticeId: notice.id, mintedAt: at, ...facts }, policy);
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

  return { list, read, request };
}
