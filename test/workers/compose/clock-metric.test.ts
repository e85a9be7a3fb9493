import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createClockMetric } from '../../../workers/compose/clock-metric.js';

test('the difference to the clock of the database is measured at each scrape, in seconds', async () => {
  const registry = new Registry();
  let aheadMs = 90_000;
  createClockMetric({ now: () => new Date(Date.now() + aheadMs) }, registry);
  const read = async (): Promise<number> =>
    Number(/^slipway_database_clock_offset_seconds (\S+)$/m.exec(await registry.metrics())?.[1]);
  expect(await read()).toBeCloseTo(90, 1);
  aheadMs = -500;
  expect(await read()).toBeCloseTo(-0.5, 1);
});
