import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSteady } from '../../bench/steady/run.js';
import { toSteadyTable } from '../../bench/steady/table.js';
import { startTestPlatform, type TestPlatform } from './platform.js';

const SEED = 7;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 600_000);
afterAll(() => platform.stop());

test('a minute of steady calls while weights change, replicas are killed and revisions come and go: none fails, and each record is stored once', async () => {
  console.log(`seed ${SEED}`);
  const figures = await runSteady({ platform, seconds: 60, seed: SEED, report: (line) => console.log(line) });
  const { text, holds } = toSteadyTable(figures);
  console.log(text);
  expect(holds, text).toBe(true);
  // There was something to lose.
  expect(figures.calls).toBeGreaterThan(300);
  expect(figures.harmed).toBeGreaterThan(0);
}, 600_000);
