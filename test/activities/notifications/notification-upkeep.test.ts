import { afterEach, expect, test } from 'vitest';
import { createNotificationUpkeep } from '../../../activities/notifications/notification-upkeep.js';
import type { FeedConsumer } from '../../../notifications/kinds/feed-consumer.js';
import { RecoverySpec } from '../../../notifications/kinds/recovery.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

async function open(behave?: Behavior, spec: object = {}) {
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  await scene.subscribe({ url: receiver.url, ...spec });
  const consumers = createResources<FeedConsumer>({ database: scene.database, kind: 'FeedConsumer' });
  const upkeep = createNotificationUpkeep({ ...scene, consumers });
  /** @returns the number of purged blocks */
  const purge = async (before: Date): Promise<number> => {
    let purged = 0;
    for await (const item of upkeep.deliveries(before)) purged += (await item.act())?.blocks_purged ?? 0;
    return purged;
  };
  /** Each in a block of its own. */
  const deliver = async (...entities: string[]) => {
    for (const entity of entities) {
      await scene.write(scene.change(entity, 'Open'));
      await scene.drain();
    }
  };
  const facts = (sequence: number) => scene.ledger.read({ subscription: scene.id, sequence });
  return { ...scene, receiver, purge, deliver, facts };
}

test('old settled deliveries are purged with their attempts; the newest block stays, and sequences continue', async () => {
  const { id, purge, deliver, outbox, facts, receiver } = await open();
  await deliver('1', '2', '3');
  expect(await purge(inDays(-30))).toBe(0);
  expect(await purge(inDays(1))).toBe(2);
  expect(await outbox.retained(id)).toEqual({ block: 3, sequence: 3 });
  expect(await outbox.find(id, 2)).toBeUndefined();
  expect(await facts(2)).toEqual({ attempts: [], settlements: [], reopenings: [] });
  expect((await facts(3)).attempts).toHaveLength(1);
  await deliver('4');
  expect(receiver.received.map(({ body }) => JSON.parse(body).subject)).toEqual(['1', '2', '3', '4']);
  expect((await outbox.find(id, 4))?.event.about).toMatch(/\/4$/);
});

test('a delivery in progress stays, and so do the later ones', async () => {
  const refuses: Behavior = ({ body }, response) =>
    void response.writeHead(JSON.parse(body).subject === '2' ? 500 : 200).end();
  const { id, purge, deliver, outbox } = await open(refuses, { schedule: [0, 86_400] });
  await deliver('1', '2', '3', '4');
  expect(await purge(inDays(1))).toBe(1);
  expect(await outbox.retained(id)).toEqual({ block: 2, sequence: 2 });
});

test('a held delivery is kept alone, is resent with its bytes, and is purged when that is old', async () => {
  let isUp = false;
  const hangs: Behavior = ({ body }, response) =>
    JSON.parse(body).subject === '2' && !isUp ? void response.destroy() : void response.end();
  const { id, purge, deliver, outbox, facts, ledger, interventions, drain, progress, receiver } = await open(hangs, {
    on_ambiguous: 'hold',
  });
  await deliver('1', '2', '3', '4');
  const before = receiver.received.find(({ body }) => JSON.parse(body).subject === '2');
  expect(await purge(inDays(1))).toBe(3);
  expect(await outbox.retained(id)).toEqual({ block: 4, sequence: 4 });
  expect(await outbox.kept(id)).toEqual([2]);
  expect([await outbox.find(id, 1), await outbox.find(id, 3)]).toEqual([undefined, undefined]);
  expect((await outbox.find(id, 2))?.event.body).toBe(before?.body);
  expect((await facts(2)).attempts).toHaveLength(1);
  await purge(inDays(1));
  expect(await progress.get(id)).toMatchObject({ counts: { held: 1 } });

  isUp = true;
  await ledger.reopen({ subscription: id, sequence: 2 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  await interventions.add(id, [2], { after: 0 });
  await drain();
  expect(receiver.received.at(-1)).toMatchObject({ id: before?.id, body: before?.body });
  expect(await progress.get(id)).toMatchObject({ counts: { held: 0, delivered: 4 } });
  await purge(inDays(-1));
  expect(await outbox.kept(id)).toEqual([2]);
  await purge(inDays(1));
  expect([await outbox.kept(id), await outbox.find(id, 2)]).toEqual([[], undefined]);
  expect(await facts(2)).toEqual({ attempts: [], settlements: [], reopenings: [] });
});

test('kept deliveries of a removed subscription are purged', async () => {
  const hangs: Behavior = (_, response) => void response.destroy();
  const { id, purge, deliver, outbox, subscriptions } = await open(hangs, { on_ambiguous: 'hold' });
  await deliver('1', '2');
  await purge(inDays(1));
  expect(await outbox.kept(id)).toEqual([1]);
  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'removed' } }));
  await purge(inDays(1));
  expect([await outbox.kept(id), await outbox.find(id, 1)]).toEqual([[], undefined]);
});

test('a reopened delivery stays until it is settled again', async () => {
  const { id, purge, deliver, outbox, ledger, interventions, drain } = await open();
  await deliver('1', '2');
  await interventions.add(id, [1], { after: 0 }); // as the API does, before it changes the ledger
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  expect(await purge(inDays(1))).toBe(0);
  await drain();
  expect(await purge(inDays(1))).toBe(1);
  expect((await outbox.retained(id)).sequence).toBe(2);
  // Operator actions are read on from the saved offset.
  await interventions.add(id, [2], { after: 1 });
  await interventions.add(id, [2], { after: 1 });
  await drain();
  await purge(inDays(1));
  expect(await interventions.read(id, 3)).toMatchObject({ sequences: [], position: 3 });
  expect(await interventions.read(id, 2)).toMatchObject({ sequences: [2], position: 3 });
  expect(await interventions.read(id, 0)).toMatchObject({ sequences: [], position: 0 });
});

test('recoveries are purged when their end is old, except the newest', async () => {
  const { id, purge, deliver, drain, recoveries } = await open();
  await deliver('1');
  const order = () => {
    const spec = RecoverySpec.parse({ dry_run: true });
    return recoveries.add(id, { kind: 'replay', spec, first: 1, last: 1, actor: 'ana', at: 'x' }, 0);
  };
  expect([await order(), await order()]).toEqual([1, 2]);
  await drain();
  await purge(inDays(-1));
  expect(await recoveries.purgedTo(id)).toBe(0);
  await purge(inDays(1));
  expect(await recoveries.purgedTo(id)).toBe(1);
  expect([await recoveries.read(id, 1), await recoveries.readEnd(id, 1)]).toEqual([undefined, undefined]);
  expect(await recoveries.readEnd(id, 2)).toMatchObject({ matched: 1 });
  expect(await order()).toBe(3); // no number is used twice
  await drain();
  expect(await recoveries.readEnd(id, 3)).toMatchObject({ matched: 1 });
});

test('deliveries of mode "pull" are purged by age', async () => {
  const { id, purge, deliver, outbox } = await open(undefined, { mode: 'pull' });
  await deliver('1', '2');
  expect(await purge(inDays(1))).toBe(1);
  expect((await outbox.retained(id)).sequence).toBe(2);
});

test('a round purges every old block, however many there are', async () => {
  const { id, purge, outbox } = await open(undefined, { mode: 'pull' });
  const at = new Date().toISOString();
  for (let block = 1; block <= 450; block += 1)
    await outbox.insert(id, { block, from: block, notices: [], sources: {}, at, token: String(block) });
  expect(await purge(inDays(1))).toBe(449);
  expect(await outbox.retained(id)).toMatchObject({ block: 450 });
});
