import { afterEach, expect, test } from '@jest/globals';
import { createNotificationUpkeep } from '../../activities/notification-upkeep.js';
import type { FeedConsumer } from '../../resources/feed-consumer.js';
import { RecoverySpec } from '../../resources/recovery.js';
import { createEntities } from '../../stores/stored-entities.js';
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
  const consumers = createEntities<FeedConsumer>({ database: scene.database, kind: 'FeedConsumer' });
  const upkeep = createNotificationUpkeep({ ...scene, consumers });
  const purge = (before: Date) => upkeep.purge(before);
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

test('what was settled long ago goes with its attempts; the newest block stays, and numbers go on', async () => {
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
  expect((await outbox.find(id, 4))?.notice.about).toMatch(/\/4$/);
});

test('one that is not settled stays, and what comes behind it too', async () => {
  const hangs: Behavior = ({ body }, response) =>
    JSON.parse(body).subject === '2' ? void response.destroy() : void response.end();
  const { id, purge, deliver, outbox } = await open(hangs, { on_ambiguous: 'hold' });
  await deliver('1', '2', '3', '4');
  expect(await purge(inDays(1))).toBe(1);
  expect(await outbox.retained(id)).toEqual({ block: 2, sequence: 2 });
});

test('one that was opened again stays until it is settled again', async () => {
  const { id, purge, deliver, outbox, ledger, interventions, drain } = await open();
  await deliver('1', '2');
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  expect(await purge(inDays(1))).toBe(0);
  await interventions.add(id, [1], 0);
  await drain();
  expect(await purge(inDays(1))).toBe(1);
  expect((await outbox.retained(id)).sequence).toBe(2);
  // What people did is heard on from where it was.
  await interventions.add(id, [2], 1);
  await interventions.add(id, [2], 1);
  await drain();
  await purge(inDays(1));
  expect(await interventions.read(id, 3)).toEqual({ sequences: [], position: 3 });
  expect(await interventions.read(id, 2)).toEqual({ sequences: [2], position: 3 });
  expect(await interventions.read(id, 0)).toEqual({ sequences: [], position: 0 });
});

test('orders to send once more are forgotten when their end is old, but for the newest', async () => {
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
  expect(await order()).toBe(3); // no number comes twice
  await drain();
  expect(await recoveries.readEnd(id, 3)).toMatchObject({ matched: 1 });
});

test('what is only pulled goes by its age', async () => {
  const { id, purge, deliver, outbox } = await open(undefined, { mode: 'pull' });
  await deliver('1', '2');
  expect(await purge(inDays(1))).toBe(1);
  expect((await outbox.retained(id)).sequence).toBe(2);
});
