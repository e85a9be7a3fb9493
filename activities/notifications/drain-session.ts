import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import { MOST_UNSETTLED, type Subscription } from '../../notifications/kinds/subscription.js';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import {
  isDelivering,
  type SubscriptionProgress,
  type SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import type { HeadersOf } from '../../notifications/delivery/sealed-headers.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';
import { createEventMatcher } from '../../notifications/events/event-matcher.js';
import type { Pace } from './pace.js';
import type { WakeSignal } from './wake-signal.js';
import type { DeliveryAttempts } from './delivery-attempt.js';
import type { InFlightDelivery } from './in-flight-delivery.js';
import { createWebhookEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';
import { createOperatorActionReader, type OperatorActionReader } from './operator-actions.js';
import type { EventFault } from './event-batch.js';
import { createFanOut, type FanOut } from './fan-out.js';
import { findOutboxHead } from './outbox-head.js';
import { createRecoveryRunner, type RecoveryRunner } from './recovery.js';
import { createDispatcher, type Dispatcher } from './dispatcher.js';
import { toProgress } from './drain-progress.js';
import type { TailedStream } from './source-position.js';
import { createInFlightWindow, type InFlightWindow } from './in-flight-window.js';
import { createWebhookHosts, type WebhookHosts } from './webhook-hosts.js';
import { createSubscriptionUpdates } from './subscription-updates.js';

export interface DrainSessionDeps {
  subscriptions: ResourceStore<Subscription>;
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  interventions: OperatorActions;
  recoveries: Recoveries;
  ledger: AttemptLedger;
  deliveryAttempts: DeliveryAttempts;
  streamOf: (name: string) => TailedStream;
  /** Returns the keys that sign now, the newest first. */
  keysOf: (subscription: Subscription) => SigningKey[];
  headersOf: HeadersOf;
  baseUrl: string;
  /** Shared by the drains of this process. */
  hosts?: WebhookHosts;
  /** Called with the data of each new event. */
  check?: SchemaCheck;
  /** Called with each event that fails by a bug. */
  onFault?: (fault: EventFault) => void;
  onAttempt?: (subscription: string, end: AttemptEnd) => void;
  /** Called with the time from the creation of a delivery to its confirmation. */
  onDelivered?: (delayMs: number) => void;
  wakeSignal: WakeSignal;
  /** Shared by the drains and wake-ups of this process. */
  pace?: Pace;
  /** When aborted, nothing new is started: cancellation, shutdown. */
  signal: AbortSignal;
  /** Limit of deliveries that are not settled: the fan-out pauses there. */
  mostUnsettled?: number;
}

/** A subscription with all parts of its delivery, loaded from the saved progress. */
export interface DrainSession {
  endpoint: WebhookEndpoint;
  dispatcher: Dispatcher;
  operatorActions: OperatorActionReader;
  recovery: RecoveryRunner;
  /** Number of deliveries that are not settled. */
  unsettled(): number;
  /** The first of them. */
  oldest(): InFlightDelivery | undefined;
  /** Fans out new events and loads them. @returns whether there were any, or may be more */
  loadNew(): Promise<boolean>;
  /** @param leaseMs for so long other processes leave new events to this drain */
  save: (leaseMs?: number) => Promise<void>;
  /** Whether there are new events that the fan-out has not read and may read now. */
  isBehind(): Promise<boolean>;
}

/** Ledgers that are read at once. */
const READS_AT_ONCE = 50;

type Deps = DrainSessionDeps & { now: () => Date };
type Saved = SubscriptionProgress | undefined;

/** Opens a session where the last drain of the subscription ended. */
export async function openDrainSession(deps: Deps, subscription: Subscription): Promise<DrainSession> {
  const { outbox, progress, now, pace, signal, mostUnsettled = MOST_UNSETTLED } = deps;
  const { id, spec, generation } = subscription;
  const isPulled = spec.mode === 'pull';
  const saved = await progress.get(id);
  await pace?.turn({ rank: isDelivering(saved) ? 'delivering' : 'started', signal });
  const head = await findOutboxHead(outbox, subscription, saved);
  const window = await openWindow(outbox, id, saved);
  const endpoint = openEndpoint(deps, subscription, saved);
  const settledThrough = (): number => (isPulled ? 0 : window.settledThrough());
  const matcher = createEventMatcher(subscription);
  const fanOut = createFanOut({ ...deps, subscription: id, generation, matcher, head, settledThrough });
  const dispatcher = openDispatcher(deps, subscription, { endpoint, window, saved });
  const reload = (inFlight: InFlightDelivery): Promise<void> =>
    deps.deliveryAttempts.reload({ subscription: id, sequence: inFlight.event.sequence }, inFlight);
  await restore({ window, dispatcher, reload, saved, generation });
  const { recovery, operatorActions } = openActions(deps, subscription, { window, dispatcher, reload, saved });
  await operatorActions.readNew();
  await recovery.refresh();

  const unsettled = (): number => (isPulled ? 0 : fanOut.head.sequence - window.loadedThrough + window.size);
  const settle = (inFlight: InFlightDelivery) => deps.deliveryAttempts.settle(endpoint.target, inFlight);
  const loader = { fanOut, window, dispatcher, operatorActions, reload, settle, isPulled };
  return {
    endpoint,
    dispatcher,
    operatorActions,
    recovery,
    unsettled,
    oldest: () => window.oldest(),
    loadNew: () => loadNew(loader, unsettled() >= mostUnsettled),
    save: (leaseMs) => {
      const state = { head: fanOut.head, generation, window, dispatcher, operatorActions, recovery, endpoint };
      return progress.put(id, toProgress(state, now(), leaseMs));
    },
    isBehind: async () => unsettled() < mostUnsettled && (await isBehind(deps, fanOut.head.sources)),
  };
}

/** An event may come after the last look, while other processes still leave it to this drain. */
async function isBehind({ streamOf }: Deps, sources: SourcePositions): Promise<boolean> {
  for (const [stream, { position }] of Object.entries(sources)) {
    if ((await streamOf(stream).readOn(position + 1)) !== undefined) return true;
  }
  return false;
}

async function openWindow(outbox: Outbox, subscription: string, saved: Saved): Promise<InFlightWindow> {
  const { block, sequence } = await outbox.retained(subscription);
  return createInFlightWindow({
    subscription,
    outbox,
    from: saved ?? { loadedThrough: sequence - 1, loadedBlock: block - 1 },
  });
}

function openEndpoint(deps: Deps, subscription: Subscription, saved: Saved): WebhookEndpoint {
  const { keysOf, wakeSignal, now, hosts = createWebhookHosts() } = deps;
  const { url } = subscription.spec;
  const wake = (): void => wakeSignal.notify();
  const seat =
    url === null ? undefined : hosts.seat({ url: new URL(url), now: now().getTime(), wake, known: saved?.hostOutage });
  return createWebhookEndpoint(withOpenHeaders(deps, subscription), keysOf(subscription), saved, seat);
}

/** Takes over keys, headers and state of a subscription that was read again. */
export const refreshEndpoint = (
  deps: Pick<DrainSessionDeps, 'keysOf' | 'headersOf'>,
  endpoint: Pick<WebhookEndpoint, 'refresh'>,
  current: Subscription,
): void => endpoint.refresh(withOpenHeaders(deps, current), deps.keysOf(current));

const withOpenHeaders = ({ headersOf }: Pick<DrainSessionDeps, 'headersOf'>, subscription: Subscription) => ({
  ...subscription,
  spec: { ...subscription.spec, headers: headersOf(subscription) },
});

interface DispatcherParts {
  endpoint: WebhookEndpoint;
  window: InFlightWindow;
  saved: Saved;
}

function openDispatcher(deps: Deps, { id, spec }: Subscription, { endpoint, window, saved }: DispatcherParts) {
  const { subscriptions, now } = deps;
  const updates = createSubscriptionUpdates({ subscriptions, id, now });
  const refresh = (current: Subscription): void => refreshEndpoint(deps, endpoint, current);
  return createDispatcher({
    ...deps,
    spec,
    endpoint,
    window,
    counts: saved?.counts,
    attempts: saved?.attempts,
    disable: async (reason) => refresh(await updates.disable(reason)),
    contradict: async ({ event }) => refresh(await updates.contradict(event)),
  });
}

interface ActionParts {
  window: InFlightWindow;
  dispatcher: Dispatcher;
  reload: (inFlight: InFlightDelivery) => Promise<void>;
  saved: Saved;
}

/** Opens the readers of operator actions and of recoveries; each needs the other. */
function openActions(deps: Deps, subscription: Subscription, { window, dispatcher, reload, saved }: ActionParts) {
  const { outbox, ledger, recoveries, interventions, now } = deps;
  const recovery = createRecoveryRunner({
    ...{ subscription, outbox, ledger, recoveries, now },
    from: saved?.recovery,
    requeue: (sequence, episode) => operatorActions.apply(sequence, episode),
    hasRoom: () => window.hasRoom(),
  });
  const operatorActions: OperatorActionReader = createOperatorActionReader({
    ...{ subscription: subscription.id, ledger, window, reload, from: saved },
    operatorActions: interventions,
    queue: dispatcher.queue,
    isPulled: subscription.spec.mode === 'pull',
    hasPassed: (order, sequence) => recovery.hasPassed(order, sequence),
  });
  return { recovery, operatorActions };
}

/**
 * Queues the deliveries that the last drain left open. Loading every ledger up front would delay all deliveries. Load now:
 * deliveries an operator touched. Load when due: deliveries that were attempted before. Load on conflict: the rest.
 */
async function restore({ window, dispatcher, reload, saved, generation }: ActionParts & { generation: number }) {
  const { queue } = dispatcher;
  const open = new Map((saved?.open ?? []).map((each) => [each.sequence, each]));
  const restored = await window.restore(saved?.open ?? []);
  const held = restored.filter(({ event }) => open.get(event.sequence)?.held);
  for (let from = 0; from < held.length; from += READS_AT_ONCE) {
    await Promise.all(held.slice(from, from + READS_AT_ONCE).map(reload));
  }
  for (const inFlight of restored) {
    const again = open.get(inFlight.event.sequence)?.again;
    if (again !== undefined && saved?.dueBy === generation) queue.addDeferred(inFlight, again);
    else queue.add(inFlight);
  }
}

interface Loader extends Omit<ActionParts, 'saved'> {
  fanOut: FanOut;
  operatorActions: OperatorActionReader;
  settle: (inFlight: InFlightDelivery) => Promise<void>;
  isPulled: boolean;
}

async function loadNew(loader: Loader, isFull: boolean): Promise<boolean> {
  const { fanOut, window, dispatcher, operatorActions, reload, settle, isPulled } = loader;
  const { block, more } = isFull ? { block: undefined, more: false } : await fanOut.writeBlock();
  // Deliveries of mode "pull" are not loaded; those that were created in mode "push" before stay in the window.
  if (isPulled) window.skipTo(fanOut.head);
  // A delivery that a consumer of the feed settled before it is loaded must not be sent.
  else if (window.hasUnloaded(fanOut.head.block)) await operatorActions.readNew();
  const added = await window.fill(fanOut.head.block, block);
  for (const inFlight of added) {
    if (operatorActions.takeTouched(inFlight.event.sequence)) await reload(inFlight);
    if (inFlight.event.fault !== undefined) await settle(inFlight);
    dispatcher.queue.add(inFlight);
  }
  return more || block !== undefined || added.length > 0;
}
