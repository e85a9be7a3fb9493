import { afterEach, expect, test } from 'vitest';
import type { Fault } from '../../../bench/chaos/faults.js';
import type { Effect } from '../../../bench/chaos/oracle.js';
import type { Plan } from '../../../bench/chaos/plan.js';
import { type Manners, openChaosReceiver } from '../../../bench/chaos/receiver.js';
import type { SubscriptionStatus } from '../../../notifications/kinds/subscription.js';
import { openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const RECEIPTS = { plain: 'none', dedupes: 'none', reads: 'read', receipts: 'tombstone' } as const satisfies Record<
  Manners,
  SubscriptionStatus['receipts']
>;

/** A subscription to a receiver of the published package, whose first requests end as `plan` says. */
async function open(manners: Manners, plan: Plan, spec: object = {}) {
  const effects: Effect[] = [];
  const oracle = { note: async (effect: Effect) => void effects.push(effect) };
  const asked: string[] = [];
  const onRequest = (kind: string): void => void asked.push(kind);
  const receiver = await openChaosReceiver({ manners, oracle, plan, onRequest });
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  receiver.trust(scene.secret);
  receiver.begin();
  await scene.subscribe(
    { url: receiver.url, receipt_url: receiver.receiptUrl, schedule: [0, 0, 0, 0], ...spec },
    { receipts: RECEIPTS[manners] },
  );
  const attempts = async (sequence = 1) =>
    (await scene.ledger.read({ subscription: scene.id, sequence })).attempts.map(({ end, receipts }) => [
      end?.outcome,
      ...receipts.map(({ answer }) => answer),
    ]);
  await scene.write(scene.change('1', 'Open'));
  return { ...scene, receiver, effects, asked, attempts };
}
/** Short enough to abandon a silent receiver soon, and long enough for an answer on a busy machine. */
const SOON = { answerMs: 1_500, attemptMs: 2_000 };
const first =
  (fault: Fault) =>
  (_: string, nth: number): Fault | undefined =>
    nth === 1 ? fault : undefined;

test('the receipt settles an attempt whose answer was lost, and nothing is sent again', async () => {
  const { drain, receiver, effects, asked, attempts, progress, id } = await open('receipts', {
    notice: first('commit_reset'),
  });
  await drain();
  expect(await attempts()).toEqual([['ambiguous', 'received']]);
  expect(asked).toEqual(['notice', 'receipt']);
  expect(effects).toHaveLength(1);
  expect([...receiver.books.values()]).toMatchObject([{ posts: 1, repeats: 0 }]);
  expect(await progress.get(id)).toMatchObject({ counts: { delivered: 1, pending: 0 } });
});

test('a refusal does not clear an earlier ambiguous attempt: it is repeated once, and the repeat counts', async () => {
  const answers: readonly (Fault | undefined)[] = ['commit_reset', 'failing', 'busy_seconds', undefined];
  const plan: Plan = { notice: (_, nth) => answers[nth - 1] };
  const { drain, receiver, attempts, effects } = await open('dedupes', plan);
  await drain({ idleMs: 3_000 });
  expect(await attempts()).toEqual([['ambiguous'], ['refused'], ['refused'], ['confirmed']]);
  expect(effects).toHaveLength(1);
  expect([...receiver.books.values()]).toMatchObject([{ posts: 4, repeats: 1, refusedRepeats: 2 }]);
});

test('an attempt that may still arrive is withdrawn first: it loses, and the next one has a later time', async () => {
  const { drain, receiver, effects, attempts } = await open('receipts', { notice: first('commit_late') });
  await drain(SOON);
  receiver.hurry();
  await receiver.settle();
  expect(await attempts()).toEqual([['ambiguous', 'refused'], ['confirmed']]);
  const [book] = receiver.books.values();
  expect(book).toMatchObject({ posts: 2 });
  expect(book?.timestamps[1]).toBeGreaterThan(book?.timestamps[0] ?? 0);
  expect(effects).toHaveLength(1); // the late one came after the tombstone
});

test('a receiver that does not answer a check is checked again by the schedule, and nothing is sent meanwhile', async () => {
  const answers: readonly (Fault | undefined)[] = ['reset', 'failing', 'garbage', undefined];
  const plan: Plan = { notice: first('commit_reset'), receipt: (_, nth) => answers[nth - 1] };
  const { drain, asked, attempts, effects } = await open('receipts', plan);
  await drain();
  expect(await attempts()).toEqual([['ambiguous', 'unclear', 'unclear', 'unclear', 'received']]);
  expect(asked).toEqual(['notice', ...Array<string>(4).fill('receipt')]);
  expect(effects).toHaveLength(1);
});

test('a check whose answer was lost is repeated, and the answer stays the same', async () => {
  const plan: Plan = { notice: first('reset'), receipt: first('commit_reset') };
  const { drain, attempts, effects } = await open('receipts', plan);
  await drain();
  expect(await attempts()).toEqual([['ambiguous', 'unclear', 'refused'], ['confirmed']]);
  expect(effects).toHaveLength(1);
});

test('a delivery is held when its receiver gives no clear answer', async () => {
  const plan: Plan = { notice: first('commit_reset'), receipt: () => 'failing' };
  const { drain, attempts, progress, id } = await open('receipts', plan, { schedule: [0, 0] });
  await drain();
  expect(await attempts()).toEqual([['ambiguous', 'unclear', 'unclear']]);
  expect(await progress.get(id)).toMatchObject({ counts: { held: 1 } });
});

test('an address without tombstones promises nothing with a 404', async () => {
  const plan: Plan = { notice: first('commit_late'), receipt: () => undefined };
  const { drain, subscriptions, id, attempts, receiver, effects } = await open('dedupes', plan, { schedule: [0, 0] });
  await subscriptions.update(id, (each) => ({
    ...each,
    spec: { ...each.spec, receipt_url: `${receiver.url}/receipts` },
    status: { ...each.status, receipts: 'tombstone' },
  }));
  await drain(SOON);
  receiver.hurry();
  await receiver.settle();
  expect(await attempts()).toEqual([['ambiguous', 'unclear', 'unclear']]);
  expect(effects).toHaveLength(1);
});

test('receipts without tombstones are read after the fence, when no attempt can arrive any more', async () => {
  const { drain, asked, attempts, effects, receiver } = await open('reads', { notice: first('commit_late') });
  const began = Date.now();
  const { nextDueAt } = await drain(SOON);
  // A check now would be answered with 404, and the event would arrive twice a second later.
  expect(asked).toEqual(['notice']);
  expect(Date.parse(nextDueAt ?? '')).toBeGreaterThan(began + 55_000);
  receiver.hurry();
  await receiver.settle();
  await drain({ now: () => new Date(Date.now() + 70_000) });
  expect(await attempts()).toEqual([['ambiguous', 'received']]);
  expect(effects).toHaveLength(1);
});

test('an event without a receipt after the fence is sent again', async () => {
  const { drain, attempts, effects } = await open('reads', { notice: first('reset') }, { schedule: [0, 60] });
  await drain();
  const later = (ms: number) => () => new Date(Date.now() + ms);
  await drain({ now: later(81_000) });
  expect(await attempts()).toEqual([['ambiguous', 'absent']]);
  await drain({ now: later(160_000) });
  expect(await attempts()).toEqual([['ambiguous', 'absent'], ['confirmed']]);
  expect(effects).toHaveLength(1);
});

test.each(['hang', 'commit_silence', 'commit_reset', 'hints', 'drip', 'garbage'] as const)(
  'under hold nothing is sent again after %s, whatever the sender does',
  async (fault) => {
    const { drain, receiver, progress, id } = await open('plain', { notice: () => fault }, { on_ambiguous: 'hold' });
    await drain(SOON);
    await drain({ now: () => new Date(Date.now() + 3_600_000) });
    expect([...receiver.books.values()]).toMatchObject([{ posts: 1, repeats: 0 }]);
    expect(await progress.get(id)).toMatchObject({ counts: { held: 1 } });
  },
);
