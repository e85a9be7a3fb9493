import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDeliveryAttempts } from '../../../activities/notifications/delivery-attempt.js';
import { type DrainSessionDeps, openDrainSession } from '../../../activities/notifications/drain-session.js';
import type { WebhookSender } from '../../../activities/notifications/webhook-sender.js';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { RecoverySpec } from '../../../notifications/kinds/recovery.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import { openScene } from './notification-scene.js';

const KEYS = [parseSigningKey(createHmacSecret())];

/** Opens a dataset log with a subscription to it; the receiver answers every request with this status. */
async function open(spec: object = {}, { status = 200 } = {}) {
  const scene = openScene();
  const { id, subscriptions, outbox, progress, interventions, recoveries, ledger, log, bell } = scene;
  await scene.subscribe({ url: 'https://receiver.example/hook', schedule: [0, 3_600], ...spec });
  const clock = { ms: Date.now() };
  const now = () => new Date(clock.ms);
  const sent: string[] = [];
  const sender: WebhookSender = {
    send: async ({ body }) => {
      sent.push((JSON.parse(body) as { subject: string }).subject);
      return { outcome: status < 300 ? 'confirmed' : 'refused', at: now().toISOString(), status };
    },
  };
  const signal = new AbortController().signal;
  const session = async (more: Partial<DrainSessionDeps> = {}) => {
    const subscription = (await subscriptions.get(id)) as Subscription;
    const deps = {
      ...{ subscriptions, outbox, progress, interventions, recoveries, ledger, wakeSignal: bell, signal, now },
      deliveryAttempts: createDeliveryAttempts({ ledger, sender, owner: randomUUID(), userAgent: 'test', signal, now }),
      streamOf: () => ({ ...log, readOn: (position: number) => log.read(position) }),
      keysOf: () => KEYS,
      headersOf: () => ({}),
      baseUrl: 'http://slipway.test',
      ...more,
    };
    return openDrainSession(deps, subscription);
  };
  /** Loads and dispatches until nothing is due. */
  const run = async (each: Awaited<ReturnType<typeof session>>) => {
    while (await each.loadNew());
    for (each.dispatcher.dispatch(); each.dispatcher.underWay > 0; each.dispatcher.dispatch()) await bell.wait(1_000);
  };
  const write = (...entities: string[]) => scene.write(...entities.map((entity) => scene.change(entity, 'Open')));
  return { ...scene, session, run, write, sent, clock };
}

test('new entries become deliveries of the window, and are counted until they are settled', async () => {
  const { session, write, run, sent } = await open();
  const first = await session();
  expect([await first.loadNew(), first.unsettled()]).toEqual([false, 0]);
  await write('1', '2', '3');
  expect([await first.loadNew(), first.unsettled(), await first.loadNew()]).toEqual([true, 3, false]);
  await run(first);
  expect([sent.toSorted(), first.unsettled()]).toEqual([['1', '2', '3'], 0]);
});

test('a session that was not saved is repeated from the ledger: nothing is sent a second time', async () => {
  const { session, write, run, sent } = await open();
  await write('1', '2');
  await run(await session());
  const second = await session();
  await run(second);
  expect(sent).toHaveLength(2);
  expect(second.unsettled()).toBe(0);
});

test('a saved session continues with what was open, when it is due', async () => {
  const { session, write, run, sent, clock, progress, id } = await open({}, { status: 503 });
  await write('1', '2');
  const first = await session();
  await run(first);
  await first.save();
  expect(await progress.get(id)).toMatchObject({ loadedThrough: 2, counts: { pending: 2, delivered: 0 } });
  const second = await session();
  await run(second);
  expect([sent.length, second.unsettled()]).toEqual([2, 2]);
  clock.ms += 2 * 3_600_000;
  await run(second);
  expect([sent.length, second.unsettled(), second.dispatcher.queue.counts()]).toMatchObject([4, 0, { failed: 2 }]);
});

test('at the limit of open deliveries no new events are fanned out', async () => {
  const { session, write, outbox, id } = await open({}, { status: 503 });
  await write('1', '2');
  const limited = await session({ mostUnsettled: 2 });
  await limited.loadNew();
  await write('3');
  expect([await limited.loadNew(), limited.unsettled()]).toEqual([false, 2]);
  expect(await outbox.find(id, 3)).toBeUndefined();
  const wider = await session({ mostUnsettled: 3 });
  while (await wider.loadNew());
  expect((await outbox.find(id, 3))?.event.about).toContain('/3');
});

test('a pulled subscription fans out, loads nothing and has nothing to send', async () => {
  const { session, write, run, sent, outbox, id, progress } = await open({ mode: 'pull', url: null });
  await write('1', '2');
  const pulled = await session({ mostUnsettled: 1 });
  await run(pulled);
  await write('3');
  await run(pulled);
  expect([sent, pulled.unsettled(), (await outbox.find(id, 3))?.event.sequence]).toEqual([[], 0, 3]);
  await pulled.save();
  expect(await progress.get(id)).toMatchObject({ loadedThrough: 3, open: [] });
});

test('a delivery that an operator canceled before it was loaded is not sent', async () => {
  const { session, write, run, sent, ledger, interventions, id } = await open();
  await write('1', '2');
  const early = await session();
  const settlement = { episode: 0, state: 'cancelled', by: 'operator', at: new Date().toISOString() } as const;
  await ledger.settle({ subscription: id, sequence: 1 }, settlement);
  await interventions.add(id, [1], { after: 0 });
  await run(early);
  expect(sent).toEqual(['2']);
});

test('an operator action on a loaded delivery is applied when it is read', async () => {
  const { session, write, ledger, interventions, id, run, sent } = await open();
  await write('1', '2');
  const opened = await session();
  while (await opened.loadNew());
  const settlement = { episode: 0, state: 'delivered', by: 'operator', at: new Date().toISOString() } as const;
  await ledger.settle({ subscription: id, sequence: 2 }, settlement);
  await interventions.add(id, [2], { after: 0 });
  await opened.operatorActions.readNew();
  expect(opened.unsettled()).toBe(1);
  await run(opened);
  expect(sent).toEqual(['1']);
});

test('a recovery that was ordered between two sessions runs in the second', async () => {
  const { session, write, run, sent, recoveries, id } = await open();
  await write('1', '2');
  const first = await session();
  await run(first);
  await first.save();
  const spec = RecoverySpec.parse({ sequences: ['2'] });
  const order = { kind: 'replay', spec, first: 1, last: 2, actor: 'ana', at: new Date().toISOString() } as const;
  await recoveries.add(id, order, 0);
  const second = await session();
  while (await second.recovery.step());
  await run(second);
  expect(sent).toEqual(['1', '2', '2']);
  expect(await recoveries.readEnd(id, 1)).toMatchObject({ reopened: 1 });
});

test('due times that an older generation saved are not trusted: the ledger decides', async () => {
  const { session, write, run, sent, clock, subscriptions, id } = await open({}, { status: 503 });
  await write('1');
  const first = await session();
  await run(first);
  await first.save();
  await subscriptions.update(id, (each) => ({
    ...each,
    generation: each.generation + 1,
    spec: { ...each.spec, schedule: [0, 60] },
  }));
  clock.ms += 120_000;
  const second = await session();
  await run(second);
  expect(sent).toHaveLength(2);
});

test('a subscription that is disabled fans out and sends nothing', async () => {
  const { session, write, run, sent, subscriptions, id } = await open();
  await write('1');
  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'disabled', reason: 'x' } }));
  const stopped = await session();
  await run(stopped);
  expect([sent, stopped.unsettled()]).toEqual([[], 1]);
});
