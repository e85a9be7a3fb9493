import { afterEach, expect, test } from 'vitest';
import { until } from '../../e2e/until.js';
import { NOTHING_WAITS } from './delivery-scene.js';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(spec: object = {}, behave?: Behavior) {
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(scene.close, receiver.close);
  await scene.subscribe({ url: receiver.url, ...spec });
  return { ...scene, receiver };
}
const CROWDED = { isCrowded: () => true, isFull: () => true, crowded: { idleMs: 30, mostMs: 200 } };
/** Longer than a test may take. */
const LONG_MS = 60_000;

test('while others wait for its place, a drain without work ends soon', async () => {
  const { drain, write, change, receiver } = await open();
  await write(change('1', 'Open'));
  expect(await drain({ ...CROWDED, idleMs: LONG_MS })).toEqual({ ended: false, more: false, summary: NOTHING_WAITS });
  expect(receiver.received).toHaveLength(1);
});

test('while others wait for its place, a drain with much work ends its turn, and the next goes on there', async () => {
  const isSlow: Behavior = (_, response) => void setTimeout(() => response.end(), 20);
  const { drain, write, change, receiver } = await open({ rate: { per_second: 1_000, concurrency: 1 } }, isSlow);
  const ids = Array.from({ length: 40 }, (_, n) => String(n + 1));
  await write(...ids.map((id) => change(id, 'Open')));
  expect(await drain(CROWDED)).toMatchObject({ ended: false, more: true });
  expect(receiver.received.length).toBeLessThan(40);
  for (let more = true; more;) ({ more } = await drain(CROWDED));
  expect(receiver.received.map(({ body }) => JSON.parse(body).subject)).toEqual(ids);
});

test('a drain holds a lease while it goes on, and none afterwards', async () => {
  const { drain, progress, id } = await open();
  const running = drain({ idleMs: 1_500 });
  const saved = await until('its lease', async () => (await progress.get(id))?.leasedUntil);
  expect(Date.parse(saved) - Date.now()).toBeGreaterThan(2_000);
  await running;
  expect(await progress.get(id)).not.toHaveProperty('leasedUntil');
});

test('an event that comes when a drain has looked for the last time is work for the next one', async () => {
  const { drain, write, change, progress, id, receiver } = await open();
  let late = 1;
  const put = async (...[subscription, saved]: Parameters<typeof progress.put>): Promise<void> => {
    await progress.put(subscription, saved);
    if (saved.leasedUntil === undefined && late-- > 0) await write(change('1', 'Open'));
  };
  expect(await drain({ progress: { ...progress, put } })).toMatchObject({ more: true });
  expect(receiver.received).toHaveLength(0);
  expect(await drain({ progress: { ...progress, put } })).toMatchObject({ more: false });
  expect(receiver.received).toHaveLength(1);
  expect(await progress.get(id)).toMatchObject({ counts: { delivered: 1 } });
});

test('a subscription whose receiver has never answered is looked at again when its next probe is due', async () => {
  const at = new Date().toISOString();
  const receiver = await openReceiver();
  const scene = openScene();
  closing.push(scene.close, receiver.close);
  const probe = { at, answered: false, level: 'L0', receipts: 'none', steps: [] } as const;
  await scene.subscribe({ url: receiver.url }, { state: 'unverified', probe });
  const { nextDueAt } = await scene.drain();
  expect(Date.parse(nextDueAt ?? '') - Date.parse(at)).toBe(600_000);
});

test('while a receiver hangs, events that come one by one are fanned out together', async () => {
  const isSlow: Behavior = (_, response) => void setTimeout(() => response.end(), 1_500);
  const spec = { rate: { per_second: 1_000, concurrency: 1 } };
  const { drain, write, change, receiver, outbox, id } = await open(spec, isSlow);
  await write(change('1', 'Open'));
  const running = drain({ mostMs: 1_400 });
  await until('its first attempt', async () => receiver.received.length === 1);
  for (const each of ['2', '3', '4', '5', '6', '7']) {
    await write(change(each, 'Open'));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await running;
  const sizes: number[] = [];
  for (let block = 1, found = await outbox.read(id, 1); found !== undefined; found = await outbox.read(id, ++block))
    sizes.push(found.notices.length);
  expect(sizes.reduce((sum, each) => sum + each, 0)).toBe(7);
  expect(sizes.length).toBeLessThanOrEqual(3);
});
