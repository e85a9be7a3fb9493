import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createReplicaMeter } from '../../../activities/deployment/replica-meter.js';
import type { Stats } from '../../../platform/engines/driver.js';
import { createReplicaMetrics } from '../../../workers/compose/replica-metrics.js';

const REVISION = { ref: { id: 'wine', uid: 'u', generation: 3 }, replicas: 2 };
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
  return { meter, pauses, sample };
}

test('cores are from two measurements, memory from the last, both over all replicas', async () => {
  let cpuSeconds = 5;
  const { meter, pauses, sample } = startMeter(() => ({ cpuSeconds, memoryBytes: 100 }));
  meter.watch(REVISION);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0 }]);
  await sample(2);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0, memoryBytes: 200 }]);
  cpuSeconds = 8;
  await sample(2);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0, memoryBytes: 200, cpuCores: 0.4 }]); // 2 x 3 s in 15 s
  expect(pauses[0]).toBe(7_500);
});

test('a replica that does not run has no numbers, and its processor time goes on after a restart', async () => {
  const answers: Answer[] = [{ cpuSeconds: 5 }, undefined, new Error('the engine is away'), { cpuSeconds: 1 }];
  const { meter, sample } = startMeter((name) => (name.endsWith('r0') ? answers.shift() : undefined));
  const watch = meter.watch({ ...REVISION, replicas: 1 });
  await sample(1);
  expect(meter.measure()).toMatchObject([{ memoryBytes: 0 }]);
  await sample(2);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 0 }]);
  watch.restarted();
  await sample(1);
  expect(meter.measure()).toEqual([{ id: 'wine', restarts: 1, memoryBytes: 0 }]);
  expect(meter.revisions()[0]?.replicas[0]?.cpuSeconds).toBe(6);
});

test('a thousand replicas cost five measurements a second, and none once nothing is supervised', async () => {
  let count = 0;
  const { meter, pauses, sample } = startMeter(() => void (count += 1));
  const watch = meter.watch({ ...REVISION, replicas: 1_000 });
  await sample(1_000);
  expect([count, new Set(pauses)]).toEqual([1_000, new Set([200])]);
  watch.end();
  await sample(3_000);
  expect([count, meter.revisions(), meter.measure()]).toEqual([2_000, [], []]);
});

test('a scrape shows the supervised replicas, and no series of those that ended', async () => {
  const registry = new Registry();
  const { meter, sample } = startMeter(() => ({ cpuSeconds: 5, memoryBytes: 100 }));
  createReplicaMetrics(registry, meter.revisions);
  const watch = meter.watch(REVISION);
  watch.ready(1);
  watch.restarted();
  await sample(1);
  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== '');
  const labels = 'deployment="wine",revision="3"';
  expect(lines).toEqual([
    `slipway_replica_cpu_seconds_total{${labels},replica="r0"} 5`,
    `slipway_replica_cpu_seconds_total{${labels},replica="r1"} 0`,
    `slipway_replica_memory_bytes{${labels},replica="r0"} 100`,
    `slipway_replica_restarts_total{${labels}} 1`,
    `slipway_replicas{${labels},state="ready"} 1`,
    `slipway_replicas{${labels},state="not_ready"} 1`,
  ]);
  watch.end();
  expect(await registry.metrics()).not.toContain('wine');
});
