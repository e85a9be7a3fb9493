import { expect, test } from 'vitest';
import { failedWith, NOTHING_WAITS, openDelivery } from './delivery-scene.js';
import type { Behavior } from './notification-scene.js';

test('a delivery that an operator resent is counted once, also when the drain was killed before it saved its progress', async () => {
  const failsFirst: Behavior = (_, response, before) =>
    before.length === 0 ? void response.destroy() : void response.end();
  const { write, change, drain, ledger, interventions, id, progress } = await openDelivery(failsFirst, {
    on_ambiguous: 'hold',
  });
  await write(change('1', 'Open'), change('2', 'Open'));
  await drain();
  const old = await progress.get(id);
  expect(old).toMatchObject({ counts: { held: 2, delivered: 0 } });
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  await ledger.settle(
    { subscription: id, sequence: 2 },
    { episode: 0, state: 'delivered', by: 'operator', at: new Date().toISOString() },
  );
  await interventions.add(id, [1, 2], { after: 0 });
  await drain();
  const done = { counts: { held: 0, pending: 0, delivered: 2, failed: 0 } };
  expect(await progress.get(id)).toMatchObject(done);
  if (old !== undefined) await progress.put(id, old);
  await drain();
  expect(await progress.get(id)).toMatchObject(done);
});

test('an operator decision on a held delivery counts, whether or not a drain was running', async () => {
  const behave: Behavior = (got, response, before) =>
    before.length === 0 && JSON.parse(got.body).subject !== '3' ? void response.destroy() : void response.end();
  const scene = await openDelivery(behave, { on_ambiguous: 'hold' });
  const { write, change, drain, receiver, ledger, interventions, progress, id } = scene;
  await write(change('1', 'Open'), change('2', 'Open'));
  await write(change('1', 'Filled'), change('2', 'Filled'));
  await drain();
  expect(await progress.get(id)).toMatchObject({ counts: { held: 2, pending: 2 } });

  // One is resent while no drain runs, the other is confirmed while one runs.
  const done = { at: new Date().toISOString(), actor: 'ana' };
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, ...done });
  await interventions.add(id, [1], { after: 0 });
  const draining = drain({ idleMs: 2_500 });
  await ledger.settle({ subscription: id, sequence: 2 }, { episode: 0, state: 'delivered', by: 'operator', ...done });
  await interventions.add(id, [2], { after: 0 });
  await draining;
  await drain(); // the drain before may have ended before it read the action
  expect(
    receiver.received
      .filter(({ body }) => JSON.parse(body).data.version === 1)
      .map(({ body }) => JSON.parse(body).subject)
      .toSorted(),
  ).toEqual(['1', '1', '2']);
  expect(await progress.get(id)).toMatchObject({ counts: { held: 2, delivered: 2 } });
});

test('a delivery that was canceled before it was loaded is not sent', async () => {
  const { write, change, drain, receiver, ledger, interventions, id } = await openDelivery();
  await write(change('1', 'Open'), change('2', 'Open'));
  const at = new Date().toISOString();
  await ledger.settle({ subscription: id, sequence: 2 }, { episode: 0, state: 'cancelled', by: 'operator', at });
  await interventions.add(id, [2], { after: 0 });
  await drain();
  await drain();
  expect(receiver.received.map(({ body }) => JSON.parse(body).subject)).toEqual(['1']);
});

test('a delivery that a consumer settled during its attempt is not sent again', async () => {
  const settle = async (): Promise<void> => {
    const key = { subscription: scene.id, sequence: 1 };
    await scene.ledger.settle(key, { episode: 0, state: 'delivered', by: 'feed', at: new Date().toISOString() });
    await scene.interventions.add(scene.id, [1], { after: 0 });
  };
  const readsFeed: Behavior = (_, response) => {
    // Long enough for the drain to read the action during the attempt.
    void settle().then(() => setTimeout(() => response.writeHead(503).end(), 1_500));
  };
  const scene = await openDelivery(readsFeed, { schedule: [0, 1, 1] });
  await scene.write(scene.change('1', 'Open'));
  const summary = { ...NOTHING_WAITS, ...failedWith(503) };
  expect(await scene.drain({ idleMs: 2_500 })).toEqual({ ended: false, more: false, summary });
  expect(scene.receiver.received).toHaveLength(1);
  expect(await scene.progress.get(scene.id)).toMatchObject({ open: [], counts: { delivered: 1, pending: 0 } });
});
