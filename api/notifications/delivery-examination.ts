import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { Outbox, OutboxEntry } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import { type DeliveryFilter, firstFrom } from './delivery-filter.js';
import type { DeliveryDetail, ReadDeliveryDetail } from './delivery-view.js';
import type { FeedSource } from './feed-page.js';

export interface DeliveryExaminationDeps {
  outbox: Outbox;
  progress: Pick<SubscriptionProgressStore, 'get'>;
  interventions: Pick<OperatorActions, 'read'>;
  feed: Pick<FeedSource, 'fanOut'>;
  readDetail: ReadDeliveryDetail;
}

export interface ExaminedRange {
  subscription: Subscription;
  filter: DeliveryFilter;
  /** Only deliveries with a smaller sequence; `undefined`: from the newest on. */
  before: number | undefined;
}

/** An examined delivery; `detail` is set when it matches the filter. */
export interface ExaminedDelivery {
  sequence: number;
  /** Whether the ledger was read. */
  isRead: boolean;
  detail: DeliveryDetail | undefined;
}

const AT_ONCE = 20;
const OPEN_STATES: readonly (string | undefined)[] = ['pending', 'sending', 'checking', 'held', 'parked'];

/** Tests the deliveries of a subscription against a filter, the newest first. */
export async function* examineDeliveries(
  deps: DeliveryExaminationDeps,
  range: ExaminedRange,
): AsyncGenerator<ExaminedDelivery> {
  const { filter } = range;
  let batch: OutboxEntry[] = [];
  for await (const entry of candidates(deps, range, await startOf(deps, range))) {
    if (filter.from !== undefined && entry.block.at < filter.from) break;
    batch.push(entry);
    if (batch.length < AT_ONCE) continue;
    yield* await examineBatch(deps, range, batch);
    batch = [];
  }
  yield* await examineBatch(deps, range, batch);
}

const examineBatch = (
  deps: DeliveryExaminationDeps,
  range: ExaminedRange,
  batch: readonly OutboxEntry[],
): Promise<ExaminedDelivery[]> => Promise.all(batch.map((entry) => examine(deps, range, entry)));

async function examine(
  { readDetail }: DeliveryExaminationDeps,
  { subscription, filter }: ExaminedRange,
  entry: OutboxEntry,
): Promise<ExaminedDelivery> {
  const { sequence } = entry.event;
  if (!filter.takes(entry)) return { sequence, isRead: false, detail: undefined };
  const detail = await readDetail(subscription, entry);
  return { sequence, isRead: true, detail: filter.fulfils(detail) ? detail : undefined };
}

/** @returns the newest sequence that is examined, by the head of the outbox, the filter and the page */
async function startOf(
  { outbox, feed }: DeliveryExaminationDeps,
  { subscription, filter: { until }, before = Infinity }: ExaminedRange,
): Promise<number> {
  const { id } = subscription;
  const { head } = await feed.fanOut(subscription, 0);
  if (until === undefined) return Math.min(head, before - 1);
  const { sequence: low } = await outbox.retained(id);
  const after = await firstFrom(outbox, id, until, { low, high: head + 1 });
  return Math.min(after, before) - 1;
}

/** Walks the deliveries that may match in the outbox, downward from a sequence. */
async function* candidates(
  deps: DeliveryExaminationDeps,
  range: ExaminedRange,
  from: number,
): AsyncIterable<OutboxEntry> {
  const { outbox } = deps;
  const { id } = range.subscription;
  const { after, some } = (await findOpen(deps, range)) ?? { after: 0, some: [] };
  for await (const entry of outbox.walk(id, from, 'down')) {
    if (entry.event.sequence <= after) break;
    yield entry;
  }
  for (const sequence of some) {
    const found = sequence > from ? undefined : await outbox.find(id, sequence);
    if (found !== undefined) yield found;
  }
}

/** Finds the deliveries that may be open: all after a sequence, and some before it; `undefined`: no limit is known. */
async function findOpen(
  { progress, interventions }: DeliveryExaminationDeps,
  { subscription: { id, spec }, filter: { state } }: ExaminedRange,
): Promise<{ after: number; some: number[] } | undefined> {
  const known = spec.mode === 'push' && OPEN_STATES.includes(state) ? await progress.get(id) : undefined;
  if (known === undefined) return undefined;
  const { loadedThrough: after, open, touched } = known;
  const { sequences } = await interventions.read(id, known.interventions);
  const some = new Set([...open.map(({ sequence }) => sequence), ...touched, ...sequences]);
  return { after, some: [...some].filter((each) => each <= after).sort((one, other) => other - one) };
}
