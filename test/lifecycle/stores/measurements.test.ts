import { afterEach, expect, test, vi } from 'vitest';
import { createMeasurements, publishMeasurements } from '../../../lifecycle/stores/measurements.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

afterEach(() => void vi.useRealTimers());

const ofWorker = (id: string) => ({ replicas: [{ id, restarts: 0 }] });

test('rows of all living processes are read; those of a silent one are removed', async () => {
  let nowMs = 0;
  const database = { ...createMemoryDatabase(), now: () => new Date(nowMs) };
  const measurements = createMeasurements({ database });
  await measurements.put('worker/1', ofWorker('wine'));
  nowMs = 20_000;
  await measurements.put('worker/2', ofWorker('iris'));
  await measurements.put('worker/2', ofWorker('rice'));
  expect(await measurements.read()).toEqual({
    calls: [],
    replicas: ['wine', 'rice'].map((id) => ({ id, restarts: 0 })),
  });
  nowMs = 40_000;
  expect(await measurements.read()).toEqual({ calls: [], ...ofWorker('rice') });
});

test('a process publishes every ten seconds, also after a write that failed, until it is ended', async () => {
  vi.useFakeTimers();
  const written: object[] = [];
  let isAway = true;
  const put = async (_: string, measured: object): Promise<void> => {
    if (isAway) throw new Error('the database is away');
    written.push(measured);
  };
  const end = publishMeasurements({ put }, { source: 'worker/1', measure: () => ofWorker('wine') });
  await vi.advanceTimersByTimeAsync(10_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([ofWorker('wine')]);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toHaveLength(1);
});
