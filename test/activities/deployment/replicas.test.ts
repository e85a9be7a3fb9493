import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { superviseReplicas } from '../../../activities/deployment/supervisor.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Replica } from '../../../lifecycle/kinds/endpoint.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { end, print } from '../shared/memory-engine.js';
import { REF, REVISION, startScene } from './replicas-scene.js';

const readyCounts = (changes: Replica[][]) => changes.map((ready) => ready.length);

test('the ready replicas are reported once, and again only when they change', async () => {
  const scene = await startScene({ replicas: 2 });
  await scene.supervise(() => scene.model.probes > 20);
  expect(readyCounts(scene.changes)).toEqual([2]);
});

test('the end of the supervisor leaves the replicas running and does not report them as gone', async () => {
  const scene = await startScene();
  await scene.supervise(() => scene.changes.length === 1);
  // A probe is under way when the worker shuts down.
  const second = await startScene();
  second.model.hangs = true;
  second.model.probes = 0;
  await second.supervise(() => second.model.probes > 0);
  for (const { replica, changes } of [scene, second]) {
    expect(replica().state.phase).toBe('running');
    expect(readyCounts(changes)).not.toContain(0);
  }
});

test('a replica that ended is started again, and its requests go elsewhere meanwhile', async () => {
  const scene = await startScene({ replicas: 2 });
  const ending = scene.supervise(() => scene.changes.length === 3);
  while (scene.changes.length === 0) await sleep(2);
  end(scene.replica(1), 1);
  await ending;
  expect(readyCounts(scene.changes)).toEqual([2, 1, 2]);
  expect(scene.started.length).toBe(3);
});

test('a replica that was removed from outside is created again', async () => {
  const scene = await startScene();
  const ending = scene.supervise(() => scene.changes.length === 3);
  while (scene.changes.length === 0) await sleep(2);
  await scene.engine.remove({ name: scene.replica().spec.name });
  await ending;
  expect(readyCounts(scene.changes)).toEqual([1, 0, 1]);
});

test('a replica that the engine cannot start again keeps no other one from a restart, and is named once', async () => {
  const skipped: string[] = [];
  const scene = await startScene({ replicas: 2, onSkipped: (replica) => void skipped.push(replica) });
  const { name } = scene.replica(1).spec;
  const create = scene.engine.create.bind(scene.engine);
  scene.engine.create = async (spec) => {
    if (spec.name === name) throw new SlipwayError('unavailable', 'the engine is at fault');
    return create(spec);
  };
  let over = false;
  const ending = scene.supervise(() => over);
  while (scene.changes.length === 0) await sleep(2);
  await scene.engine.remove({ name });
  while (scene.changes.length === 1) await sleep(2);
  end(scene.replica(0), 1);
  while (scene.started.length < 3 || scene.changes.length < 4) await sleep(2);
  scene.engine.create = create;
  while (scene.changes.length < 5) await sleep(2);
  over = true;
  await ending;
  expect(readyCounts(scene.changes)).toEqual([2, 1, 0, 1, 2]);
  expect(skipped).toEqual([name]);
});

test('an engine that fails for every replica ends the attempt', async () => {
  const scene = await startScene({ replicas: 2 });
  scene.engine.state = () => Promise.reject(new SlipwayError('unavailable', 'the engine is away'));
  expect(await scene.supervise(() => false)).toMatchObject({ message: 'the engine is away' });
});

test('restarts come further and further apart', async () => {
  const scene = await startScene({ backoffMs: 40 });
  const times: number[] = [];
  const ending = scene.supervise(() => scene.started.length === 4);
  for (let count = 1; count <= 3; count += 1) {
    while (scene.started.length < count) await sleep(1);
    times.push(Date.now());
    end(scene.replica(), 1);
  }
  while (scene.started.length < 4) await sleep(1);
  times.push(Date.now());
  await ending;
  const [first = 0, second = 0, third = 0] = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(first).toBeGreaterThanOrEqual(40);
  expect(second).toBeGreaterThanOrEqual(80);
  expect(third).toBeGreaterThanOrEqual(160);
});

test('a replica whose files have passed their limit is started again, which is a crash loop in the end', async () => {
  const scene = await startScene({ diskBytes: 2 ** 30, diskLookMs: 0 });
  let bytes = 2 ** 30;
  scene.engine.diskBytes = async () => bytes;
  const supervised = scene.supervise(() => false);
  while (scene.changes.length === 0) await sleep(1);
  bytes *= 1.5;
  expect(await supervised).toMatchObject({
    detail: { reason: 'CrashLoop' },
    message:
      'replica r0 ended 5 times within 5 minutes: the files of the container have 1.5 GiB, and may have 1 GiB (SLIPWAY_MAX_REPLICA_DISK_GIB)',
  });
  expect(scene.started).toHaveLength(5);
});

test('a replica whose files cannot be counted serves on', async () => {
  const scene = await startScene({ diskBytes: 1, diskLookMs: 0 });
  let looks = 0;
  scene.engine.diskBytes = async () => {
    looks += 1;
    throw new Error('the engine is away');
  };
  await scene.supervise(() => looks > 2);
  expect(readyCounts(scene.changes)).toEqual([1]);
});

test('five ends within five minutes are a crash loop, reported with the last line', async () => {
  const scene = await startScene();
  const supervised = scene.supervise(() => false);
  let ended = 0;
  while (ended < 5) {
    if (scene.started.length > ended) {
      print(scene.replica(), 'ValueError: no model');
      end(scene.replica(), 1);
      ended += 1;
    }
    await sleep(1);
  }
  expect(await supervised).toMatchObject({
    code: 'run_failed',
    detail: expect.objectContaining({ reason: 'CrashLoop', logTail: 'ValueError: no model' }),
    message: 'replica r0 ended 5 times within 5 minutes: ValueError: no model',
  });
  expect(scene.started.length).toBe(5);
});

test('one late answer changes nothing; a replica that stays silent gets no requests and is replaced', async () => {
  const scene = await startScene({ silenceMs: 1_500 });
  const ending = scene.supervise(() => scene.changes.length === 3);
  while (scene.changes.length === 0) await sleep(1);
  scene.model.status = 503;
  const before = scene.model.probes;
  while (scene.model.probes < before + 1) await sleep(1);
  scene.model.status = 200;
  await sleep(30);
  expect(readyCounts(scene.changes)).toEqual([1]);
  scene.model.status = 503;
  while (scene.started.length < 2) await sleep(1);
  scene.model.status = 200;
  await ending;
  expect(readyCounts(scene.changes)).toEqual([1, 0, 1]);
});

test('a replica that still loads its model is not taken for one that hangs', async () => {
  const scene = await startScene({ silenceMs: 10, readySeconds: 60 });
  scene.model.status = 503;
  const ending = scene.supervise(() => scene.changes.length === 2);
  await sleep(100);
  expect(scene.replica().stops).toBe(0);
  scene.model.status = 200;
  await ending;
  expect(readyCounts(scene.changes)).toEqual([0, 1]);
});

test('a replica that never gets ready is replaced after the time it has for that', async () => {
  const scene = await startScene({ readySeconds: 0.05 });
  scene.model.status = 503;
  await scene.supervise(() => scene.started.length === 2);
  expect(scene.started.length).toBe(2);
});

test('the delay of the liveness probe is time that a replica has to load its model', async () => {
  const scene = await startScene({ readySeconds: 0.01, revision: { ...REVISION, livenessDelay: 60 } });
  scene.model.status = 503;
  const ending = scene.supervise(() => scene.changes.length === 2);
  const before = scene.model.probes;
  while (scene.model.probes < before + 10) await sleep(1);
  expect(scene.replica().stops).toBe(0);
  scene.model.status = 200;
  await ending;
});

test('logs are copied, and go on behind what the last supervisor stored', async () => {
  const scene = await startScene();
  const objects = createMemoryObjects();
  const logs = createLogs({ objects, flushMs: 5, pollMs: 5 });
  const text = async () => {
    let all = '';
    for await (const part of logs.read(`logs/deployment/wine/${REF.uid}/3/r0/`, { follow: false })) all += part;
    return all;
  };
  for (const line of ['one', 'two']) {
    print(scene.replica(), line);
    const stopping = new AbortController();
    const supervisor = {
      ...{ engine: scene.engine, logs, revision: REVISION, readySeconds: 60, pollMs: () => 5, beat: () => {} },
      ...{ signal: stopping.signal, onChange: async () => {}, holdRoute: async () => {}, mayRestart: async () => {} },
    };
    const supervised = superviseReplicas(supervisor).catch(() => undefined);
    for (const deadline = Date.now() + 120_000; !(await text()).includes(line); await sleep(5))
      if (Date.now() > deadline) throw new Error('the line did not come');
    stopping.abort();
    await supervised;
  }
  expect(await text()).toBe('one\ntwo\n');
});

test('the route is checked every few seconds, and nothing is reported while nothing changes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const held: Replica[][] = [];
  const holdRoute = async (ready: Replica[]) => void held.push(ready);
  const scene = await startScene({ holdRoute, beat: () => vi.setSystemTime(Date.now() + 2_000) });
  await scene.supervise(() => held.length === 3).finally(() => vi.useRealTimers());
  expect(held.every(([replica]) => replica?.url === `http://${scene.address}`)).toBe(true);
  expect(scene.changes).toHaveLength(1);
});

test('an attempt that another one has replaced starts nothing again', async () => {
  const replaced = new SlipwayError('conflict', 'a newer attempt has the route');
  const scene = await startScene({ mayRestart: () => Promise.reject(replaced) });
  end(scene.replica(), 0);
  expect(await scene.supervise(() => false)).toBe(replaced);
  expect(scene.started).toHaveLength(1);
});

test('an answer that cannot be reported ends the attempt, so that the next one reports it', async () => {
  const scene = await startScene({ onChange: async () => Promise.reject(new Error('the database is away')) });
  expect(await scene.supervise(() => false)).toMatchObject({ message: 'the database is away' });
});
