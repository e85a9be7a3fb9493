import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import { MOST_UNSETTLED, type Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import { afterContradiction } from '../../notifications/delivery/probe.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';
import type { WakeSignal } from './wake-signal.js';
import { createSubscriptionHealth } from './subscription-health.js';
import type { DeliveryAttempts, InFlightDelivery } from './delivery-attempt.js';
import { createWebhookEndpoint } from './webhook-endpoint.js';
import { createEventMatcher } from '../../notifications/events/event-matcher.js';
import { createOperatorActionReader } from './operator-actions.js';
import { createFanOut, findOutboxHead } from './fan-out.js';
import { createRecoveryRunner } from './recovery.js';
import { createDispatcher } from './dispatcher.js';
import type { EventStream } from './source-position.js';
import { createInFlightWindow } from './in-flight-window.js';

export interface DrainDeps {
  subscriptions: ResourceStore<Subscription>;
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  interventions: OperatorActions;
  recoveries: Recoveries;
  ledger: AttemptLedger;
  delivering: DeliveryAttempts;
  streamOf: (name: string) => EventStream;
  /** Keys that sign now, the newest first. */
  keysOf: (subscription: Subscription) => SigningKey[];
  baseUrl: string;
  /** Told of all data that become a notice. */
  check?: SchemaCheck;
  /** Told how each attempt ended. */
  attempted?: (subscription: string, end: AttemptEnd) => void;
  /** Told how long after its making a receiver took a notice. */
  delivered?: (delayMs: number) => void;
  /** Rings when a stream goes on. */
  bell: WakeSignal;
  /** Ends what must not begin anything new: cancellation, shutdown. */
  signal: AbortSignal;
  now?: () => Date;
  /** Notices that may wait: more are not made. */
  mostUnsettled?: number;
  /** How long a drain lives without work, and at all. */
  idleMs?: number;
  mostMs?: number;
}

/** What is left to do when a drain ends. */
export interface Turn {
  /** The subscription is gone. */
  ended: boolean;
  /** There is work now. */
  more: boolean;
  /** RFC 3339. */
  nextDueAt?: string;
}

const LOOK_MS = 1_000;
/** Ledgers that are read at once. */
const AT_ONCE = 50;

/**
 * Delivers the notices of one subscription until there is nothing to do: makes notices of new events, sends those whose
 * turn it is, and writes down how far it came. It may be killed at any point, and another may run beside it: what counts is
 * in the outbox and in the ledger.
 */
export async function drain(deps: DrainDeps, id: string): Promise<Turn> {
  const { subscriptions, signal, bell, now = () => new Date() } = deps;
  const { idleMs = 30_000, mostMs = 600_000 } = deps;
  const subscription = await subscriptions.get(id);
  if (subscription === undefined || subscription.status.state === 'removed') return { ended: true, more: false };
  const { bringIn, hearPeople, save, shipping, endpoint, recovering, unsettled } = await open(
    { ...deps, now },
    subscription,
  );

  const record = createSubscriptionHealth({ subscriptions, limit: deps.mostUnsettled ?? MOST_UNSETTLED, now });
  const recordWhatIsSeen = async (current: Subscription): Promise<Subscription> =>
    record(current, { failing: endpoint.failing, unsettled: unsettled() });

  const begunAt = now().getTime();
  let [workedAt, lookedAt, savedAt] = [begunAt, begunAt, begunAt];
  for (let isFresh = true; isFresh && !signal.aborted && shipping.trouble === undefined;) {
    const isNews = [await bringIn(), await recovering.step()].some(Boolean);
    shipping.sendOff();
    const at = now().getTime();
    if (isNews || shipping.underWay > 0) workedAt = at;
    if (at - savedAt >= LOOK_MS) {
      await save();
      savedAt = at;
    }
    if (at - lookedAt >= LOOK_MS) {
      const current = await subscriptions.get(id);
      // With other settings everything is read anew.
      isFresh = current?.generation === subscription.generation;
      if (current !== undefined) {
        endpoint.refresh(current, deps.keysOf(current));
        await recordWhatIsSeen(current);
      }
      await hearPeople();
      await recovering.refresh();
      lookedAt = at;
    }
    const restMs = Math.min(workedAt + idleMs, begunAt + mostMs) - at;
    if (restMs <= 0) break;
    if (!isNews) await bell.wait(Math.min(restMs, LOOK_MS, Math.min(shipping.nextAt(), recovering.nextAt()) - at));
  }
  while (shipping.underWay > 0) await bell.wait(LOOK_MS);
  await save();
  if (shipping.trouble !== undefined) throw shipping.trouble;
  const last = await subscriptions.get(id);
  if (last !== undefined) await recordWhatIsSeen(last);
  const due = Math.min(shipping.nextAt(), recovering.nextAt());
  const isChanged = last?.generation !== subscription.generation;
  const isCut = signal.aborted || now().getTime() - begunAt >= mostMs || isChanged;
  return {
    ended: false,
    more: isCut || due <= now().getTime(),
    ...(due < Infinity && { nextDueAt: new Date(due).toISOString() }),
  };
}

/** Picks up where the last drain left off. */
async function open(deps: DrainDeps & { now: () => Date }, subscription: Subscription) {
  const { subscriptions, outbox, progress, interventions, recoveries, ledger, delivering, keysOf, now } = deps;
  const { id, spec } = subscription;
  const isPulled = spec.mode === 'pull';
  const known = await progress.get(id);
  const minted = await findOutboxHead(outbox, subscription, known);
  const begin = await outbox.retained(id);
  const window = createInFlightWindow({
    subscription: id,
    outbox,
    from: known ?? { loadedThrough: begin.sequence - 1, loadedBlock: begin.block - 1 },
  });
  const endpoint = createWebhookEndpoint(subscription, keysOf(subscription), known);
  const minter = createFanOut({
    ...deps,
    subscription: id,
    generation: subscription.generation,
    matching: createEventMatcher(subscription),
    minted,
    settledThrough: () => (isPulled ? 0 : window.settledThrough()),
  });
  const disable = async (reason: string): Promise<void> => {
    const current = await subscriptions.update(id, (each) =>
      each.status.state === 'active' ? { ...each, status: { ...each.status, state: 'disabled', reason } } : undefined,
    );
    endpoint.refresh(current, keysOf(current));
  };
  const contradict = async ({ notice }: InFlightDelivery): Promise<void> => {
    const received = 'webhook-receipt: new, a second time';
    const step = { sent: `POST of ${notice.id}`, expected: 'webhook-receipt: duplicate', received, ok: false };
    const current = await subscriptions.update(id, (each) =>
      each.status.level === 'L0'
        ? undefined
        : { ...each, status: afterContradiction(each.status, step, now().toISOString()) },
    );
    endpoint.refresh(current, keysOf(current));
  };
  const shipping = createDispatcher({
    ...deps,
    spec,
    endpoint,
    window,
    counts: known?.counts,
    attempts: known?.attempts,
    disable,
    contradict,
  });

  const reload = (traveller: InFlightDelivery): Promise<void> =>
    delivering.reload({ subscription: id, sequence: traveller.notice.sequence }, traveller);

  /** One that was re-opened may have no attempt in its ledger that would lead to the rest. */
  const isToBeRead = (sequence: number): boolean =>
    shipping.isHeld(sequence) || (window.get(sequence)?.record.reopenings.length ?? 0) > 0;

  // Reading every ledger would keep all of them waiting. What people have to do with is read at once; what was tried before
  // when it is due; of the others whoever finds its attempt in the ledger already reads the rest then.
  const opened = new Map((known?.open ?? []).map((each) => [each.sequence, each]));
  const restored = await window.restore(known?.open ?? []);
  const waiting = restored.filter(({ notice }) => opened.get(notice.sequence)?.held);
  for (let from = 0; from < waiting.length; from += AT_ONCE) {
    await Promise.all(waiting.slice(from, from + AT_ONCE).map(reload));
  }
  for (const traveller of restored) {
    const again = opened.get(traveller.notice.sequence)?.again;
    if (again !== undefined && known?.dueBy === subscription.generation) shipping.addLater(traveller, again);
    else shipping.add(traveller);
  }

  const recovering = createRecoveryRunner({
    ...{ subscription, outbox, ledger, recoveries, now },
    from: known?.recovery,
    bringBack: (sequence, begun) => hearing.hear(sequence, begun),
    hasRoom: () => window.hasRoom(),
  });
  const hearing = createOperatorActionReader({
    ...{ subscription: id, interventions, ledger, window, shipping, reload, isPulled, from: known },
    hasPassed: (order, sequence) => recovering.hasPassed(order, sequence),
  });
  const { hearPeople } = hearing;
  await hearPeople();
  await recovering.refresh();

  const { mostUnsettled = MOST_UNSETTLED } = deps;
  const unsettled = (): number => (isPulled ? 0 : minter.minted.sequence - window.loadedThrough + window.size);

  return {
    hearPeople,
    recovering,
    shipping,
    endpoint,
    unsettled,
    /** @returns whether anything came in */
    bringIn: async (): Promise<boolean> => {
      const isFull = unsettled() >= mostUnsettled;
      const { block, more } = isFull ? { block: undefined, more: false } : await minter.mint();
      // What is only pulled is not loaded; what was to be pushed before stays where it is.
      if (isPulled) window.pass(minter.minted);
      // What a reader of the feed settled before it is loaded is not sent.
      else if (window.isBehind(minter.minted.block)) await hearPeople();
      const added = await window.fill(minter.minted.block);
      for (const traveller of added) {
        if (hearing.takeTouched(traveller.notice.sequence)) await reload(traveller);
        shipping.add(traveller);
      }
      return more || block !== undefined || added.length > 0;
    },
    save: async (): Promise<void> => {
      const { open, parked, ...counts } = shipping.counts();
      const place = window.place();
      const pending = minter.minted.sequence - place.loadedThrough + open - counts.held;
      await progress.put(id, {
        ...minter.minted,
        ...place,
        open: place.open.map(({ sequence, block }) => {
          if (isToBeRead(sequence)) return { sequence, block, held: true };
          const again = shipping.again(sequence);
          return { sequence, block, ...(again && { again }) };
        }),
        dueBy: subscription.generation,
        ...hearing.place(),
        ...(recovering.place && { recovery: recovering.place }),
        counts: { ...counts, pending },
        parked,
        attempts: shipping.attempts,
        breaker: endpoint.breaker,
        keysUsed: endpoint.keysUsed,
        at: now().toISOString(),
      });
    },
  };
}
