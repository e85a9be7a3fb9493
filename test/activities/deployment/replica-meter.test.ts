import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createReplicaMeter } from '../../../activities/deployment/replica-meter.js';
import type { Stats } from '../../../platform/engines/driver.js';
import { createReplicaMetrics } from '../../../workers/compose/replica-metrics.js';

const REVISION = { ref: { id: 'wine', uid: 'u', generation: 3 } };
const replicas = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `slipway-deployment-wine-3-r${index}`, url: 'http://r' }));
type Answer = Partial<Stats> | Error | undefined;

/** A meter that goes on one measurement at a time. */
function startMeter(answer: (name: string) => Answer) {
  let nowMs = 0;
  const pauses: number[] = [];
  let goOn = (): void => undefined;
  const meter = createReplicaMeter({
    engine: {
      async stats({ name }) {
        const given = answer(name);
        if (given instanceof Error) throw given;
        return given && { cpuSeconds: 0, memoryBytes: 0, peakMemoryBytes: 0, ...given };
      },
    },
    pause: (ms) => {
      pauses.push(ms);
      nowMs += ms;
      return new Promise<void>((resolve) => (goOn = resolve));
    },
    now: () => nowMs,
  });
  const sample = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at += 1) {
      goOn();
      await new Promise(setImmediate);
    }
  };
  /** Watches a revision with so many ready replicas, and comes to the first of them. */
  const watch = async (ready: number, wanted = ready) => {
    const watched = meter.watch(REVISION);
    watched.serve(replicas(ready), wanted);
    await sample(1);
    return watched;
  };
  return { meter, pauses, sample, watch };
}

test('cores are from two measurements, memory from the last, both over all ready replicas', async () => {
  let cpuSeconds = 5;
  const { meter, pauses, sample, watch } = startMeter(() => ({ cpuSeconds, memoryBytes: 100 }));
  await watch(2);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0 }]);
  await sample(2);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0, memoryBytes: 200 }]);
  cpuSeconds = 8;
  await sample(2);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0, memoryBytes: 200, cpuCores: 0.4 }]); // 2 x 3 s in 15 s
  expect(pauses.slice(0, 2)).toEqual([1_000, 7_500]);
});

test('a replica that does not run has no numbers, and no cores from before its restart', async () => {
  const answers: Answer[] = [{ cpuSeconds: 5 }, undefined, new Error('the engine is away'), { cpuSeconds: 6 }];
  const { meter, sample, watch } = startMeter(() => (answers.length > 0 ? answers.shift() : { cpuSeconds: 1 }));
  const watched = await watch(1);
  await sample(1);
  expect(meter.measure()).toMatchObject([{ memoryBytes: 0 }]);
  for (let turn = 0; turn < 2; turn += 1) {
    await sample(1);
    expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0 }]);
  }
  watched.restarted();
  await sample(2); // the second one has less than the first: another start of the container
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 1, memoryBytes: 0 }]);
});

test('only replicas that take requests are measured, and those that go on to do so keep their numbers', async () => {
  const { meter, sample, watch } = startMeter(() => ({ memoryBytes: 100 }));
  const watched = await watch(2);
  await sample(2);
  watched.serve(replicas(1), 2);
  expect(meter.measure()).toMatchObject([{ memoryBytes: 100 }]);
  watched.serve([], 0);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0 }]);
});

test('a thousand replicas cost five measurements a second, and none once nothing is supervised', async () => {
  let count = 0;
  const { meter, pauses, sample, watch } = startMeter(() => void (count += 1));
  const watched = await watch(1_000);
  await sample(1_000);
  expect([count, new Set(pauses.slice(1))]).toEqual([1_000, new Set([200])]);
  watched.end();
  await sample(3_000);
  expect([count, meter.revisions(), meter.measure()]).toEqual([2_000, [], []]);
});

test('a scrape shows the supervised replicas, and no series of those that ended', async () => {
  const registry = new Registry();
  const { meter, sample, watch } = startMeter(() => ({ cpuSeconds: 5, memoryBytes: 100 }));
  createReplicaMetrics(registry, meter.revisions);
  const watched = await watch(2, 3);
  watched.restarted();
  await sample(1);
  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== '');
  const labels = 'deployment="wine",revision="3"';
  expect(lines).toEqual([
    `slipway_replica_cpu_seconds_total{${labels},replica="r0"} 5`,
    `slipway_replica_memory_bytes{${labels},replica="r0"} 100`,
    `slipway_replica_restarts_total{${labels}} 1`,
    `slipway_replicas{${labels},state="ready"} 2`,
    `slipway_replicas{${labels},state="not_ready"} 1`,
  ]);
  watched.end();
  expect(await registry.metrics()).not.toContain('wine');
});
