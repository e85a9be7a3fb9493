import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { autoscalerSettings } from '../../../activities/deployment/autoscaler.js';
import { createLoadMeter } from '../../../activities/deployment/gateway-load.js';
import { createPausedMemory } from '../../../activities/deployment/paused-memory.js';
import { createScaling, type Scaling } from '../../../activities/deployment/scaling.js';
import type { Replica } from '../../../lifecycle/kinds/endpoint.js';
import { end, print } from '../shared/memory-engine.js';
import { startScene } from './replicas-scene.js';

const SETTINGS = { ...autoscalerSettings({ stableMs: 40, idleMs: 40 }), tickMs: 5 };

/** A supervised deployment whose calls a test makes up. */
async function startScaled({
  min = 0,
  max = 3,
  count = 1,
  stopMs = 1e6,
  isDrained = async (_: string) => true,
  pausedMemory = createPausedMemory(),
} = {}) {
  const load = { concurrency: 0, isComplete: true };
  const rests: (string | undefined)[] = [];
  const scaling: Scaling = createScaling({
    ...{ count, bounds: { min, max }, settings: SETTINGS, readLoad: async () => load },
  });
  const changes: Replica[][] = [];
  const scene = await startScene({
    ...{ replicas: count, scaling, stopMs, isDrained, pausedMemory },
    onChange: async (ready, { rest }) => {
      changes.push(ready);
      rests.push(rest);
    },
    onReady: (replicas) => scaling.answer({ epoch: 1, version: changes.length, replicas }),
  });
  const size = () => scene.containers.size;
  const readyNow = () => changes.at(-1)?.length ?? -1;
  return { ...scene, load, scaling, changes, rests, size, readyNow };
}

const until = async (holds: () => boolean): Promise<void> => {
  for (const deadline = Date.now() + 60_000; !holds(); await sleep(2))
    if (Date.now() > deadline) throw new Error('waited in vain');
};

test('calls raise the number of replicas; those that leave stay until their calls have ended', async () => {
  let drained = false;
  const scene = await startScaled({ min: 1, isDrained: async () => drained });
  let over = false;
  const supervised = scene.supervise(() => over);
  scene.load.concurrency = 20;
  await until(() => scene.readyNow() === 3);
  scene.load.concurrency = 1;
  await until(() => scene.readyNow() === 1);
  await sleep(20);
  expect(scene.size()).toBe(3);
  drained = true;
  await until(() => scene.size() === 1);
  over = true;
  await supervised;
});

test('a replica that cannot be removed keeps no other one from its removal or its restart', async () => {
  const scene = await startScaled({ min: 1 });
  let over = false;
  const supervised = scene.supervise(() => over);
  scene.load.concurrency = 20;
  await until(() => scene.readyNow() === 3);
  const remove = scene.engine.remove.bind(scene.engine);
  let removal: (() => void) | undefined;
  scene.engine.remove = async (handle) => {
    if (handle.name === scene.replica(1).spec.name) await new Promise<void>((resolve) => (removal = resolve));
    await remove(handle);
  };
  scene.load.concurrency = 1;
  await until(() => scene.size() === 2 && removal !== undefined);
  const starts = scene.started.length;
  end(scene.replica(0), 1);
  await until(() => scene.started.length === starts + 1);
  removal?.();
  await until(() => scene.size() === 1);
  over = true;
  await supervised;
});

test('calls that come back while replicas leave get those replicas again, without a start', async () => {
  const scene = await startScaled({ min: 1, isDrained: async () => false });
  let over = false;
  const supervised = scene.supervise(() => over);
  scene.load.concurrency = 20;
  await until(() => scene.readyNow() === 3);
  scene.load.concurrency = 1;
  await until(() => scene.readyNow() === 1);
  scene.load.concurrency = 20;
  await until(() => scene.readyNow() === 3);
  expect(scene.started).toHaveLength(3);
  over = true;
  await supervised;
});

test('without calls the last replica is paused, then stopped, and a call wakes it from both', async () => {
  const scene = await startScaled({ stopMs: 100 });
  let over = false;
  const supervised = scene.supervise(() => over);
  await until(() => scene.replica().state.phase === 'paused');
  expect(scene.rests.at(-1)).toBe('paused');
  expect((await scene.scaling.wake()).replicas).toHaveLength(1);
  expect(scene.replica().state.phase).toBe('running');
  await until(() => scene.size() === 0);
  await until(() => scene.rests.at(-1) === 'stopped');
  expect((await scene.scaling.wake()).replicas).toHaveLength(1);
  expect(scene.started).toHaveLength(2);
  over = true;
  await supervised;
});

test('a paused replica is stopped at once when the memory of paused replicas is used up by others', async () => {
  const pausedMemory = createPausedMemory(2);
  pausedMemory.add('older', 2);
  const scene = await startScaled({ pausedMemory });
  let over = false;
  const supervised = scene.supervise(() => over);
  await until(() => scene.replica().state.phase === 'paused');
  expect(pausedMemory.isBeyond('older')).toBe(true);
  pausedMemory.add('younger', 2);
  await until(() => scene.size() === 0);
  expect(pausedMemory.isBeyond('younger')).toBe(false);
  over = true;
  await supervised;
});

test('a replica that ends while it is started refuses the calls that wait, with its last line', async () => {
  const scene = await startScaled({ count: 0 });
  let over = false;
  const supervised = scene.supervise(() => over);
  await until(() => scene.rests.at(-1) === 'stopped');
  scene.model.status = 503;
  const refused = scene.scaling.wake().catch((err: unknown) => err);
  await until(() => scene.size() === 1);
  print(scene.replica(), 'ValueError: no model');
  end(scene.replica(), 1);
  expect(await refused).toMatchObject({ code: 'no_replica', message: 'replica r0 ended: ValueError: no model' });
  over = true;
  await supervised;
});

test('a supervisor takes over what the one before left: paused replicas stay so, surplus ones leave', async () => {
  const first = await startScaled({ count: 2, max: 2 });
  await first.supervise(() => first.readyNow() === 2);
  expect(first.size()).toBe(2);
  const scaling = createScaling({
    ...{ count: 1, bounds: { min: 1, max: 1 }, settings: SETTINGS, readLoad: async () => first.load },
  });
  const again = await startScene({ engine: first.engine, scaling, isDrained: async () => true, replicas: 1 });
  await again.supervise(() => first.size() === 1);
  expect(first.size()).toBe(1);
});

test('the concurrency is what the counts of the gateways grow by; a silent gateway makes it incomplete', () => {
  const meter = createLoadMeter('wine');
  const report = (gateway: string, atMs: number, seconds: number) => ({
    ...{ gateway, atMs, serves: () => true },
    load: { versions: {}, busySeconds: { wine: seconds }, draining: [] },
  });
  expect(meter([report('a', 0, 100), report('b', 0, 7)], 0)).toEqual({ concurrency: 0, isComplete: true });
  expect(meter([report('a', 2_000, 108), report('b', 1_000, 9)], 2_000)).toEqual({ concurrency: 6, isComplete: true });
  expect(meter([report('a', 2_000, 108), report('b', 1_000, 9)], 5_500).concurrency).toBe(6);
  expect(meter([report('a', 6_000, 108), report('b', 5_000, 9)], 6_000).concurrency).toBe(0);
  expect(meter([report('a', 17_000, 108), report('b', 5_000, 9)], 17_000).isComplete).toBe(false);
  expect(meter([], 13_000).isComplete).toBe(false);
});
