import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { evaluate } from '../../../../activities/notifications/watches/watches.js';
import { createWatchStores } from '../../../../workers/compose/watches.js';
import { until } from '../../../e2e/until.js';
import { openWatchScene, type WatchScene } from './watch-scene.js';

const scenes: WatchScene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.stop()));
});

async function openEvaluation() {
  const scene = await openWatchScene();
  scenes.push(scene);
  const stores = createWatchStores(scene.database);
  const stop = new AbortController();
  const fast = { pollMs: 1, refreshMs: 1, reportMs: 1 };
  const run = () =>
    evaluate({ ...stores, ...fast, openDataset: () => scene.evaluator() }, { signal: stop.signal, beat: () => {} });
  return { ...scene, ...stores, stop, run };
}

test('without a watch the evaluator ends', async () => {
  expect(await (await openEvaluation()).run()).toEqual({ ended: true });
});

test('watches are evaluated and their states written until the last one is removed', async () => {
  const { put, at, emitted, watch, watches, states, run } = await openEvaluation();
  await put(1, { status: 'Open' });
  const wanted = await watches.insert({ ...watch(), id: `wat_${randomUUID()}` });
  const running = run();
  await until('it to be armed', async () => (await states.get(wanted.id))?.armed === 1);
  at(10.5);
  await until('its event', async () => (await emitted()).length === 1);
  await watches.update(wanted.id, (each) => ({ ...each, status: { ...each.status, state: 'removed' } }));
  expect(await running).toEqual({ ended: true });
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
});

test('an evaluator that is stopped saves a checkpoint, and the next one continues from it', async () => {
  const { put, at, emitted, watch, watches, states, objects, stop, run, evaluator } = await openEvaluation();
  await put(1, { status: 'Open' });
  const wanted = await watches.insert(watch());
  const running = run();
  await until('it to be armed', async () => (await states.get(wanted.id))?.armed === 1);
  stop.abort();
  expect(await running).toEqual({ ended: false });
  expect(await objects.head('watches/positions.gz')).toBeDefined();
  at(12);
  await put(1, { status: 'Filled' });
  await evaluator().turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
});
