import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCampaign } from '../../bench/chaos/campaign.js';
import { toTable } from '../../bench/chaos/table.js';
import { parseSettings } from '../../config.js';
import type { Database } from '../../platform/stores/database.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { startTestPlatform, type TestPlatform } from './platform.js';

let platform: TestPlatform;
let database: Database;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  const settings = parseSettings(platform.environment);
  database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
}, 600_000);
afterAll(async () => {
  await database.close();
  await platform.stop();
});

test('2,000 notices to a receiver at which everything goes wrong, by a worker that is killed: each takes effect once, in order', async () => {
  const campaign = await runCampaign({
    ...{ client: platform.admin, database, level: 'L2', notices: 2_000, seed: 7, name: randomUUID().slice(0, 8) },
    oracleFile: join(platform.folder, 'effects.ndjson'),
    kill: {
      everyMs: 4_000,
      most: 1,
      strike: async () => {
        platform.signal('worker', 'SIGKILL');
        return 'worker';
      },
    },
    limitMs: 540_000,
    report: () => {},
  });
  const { figures, kills, faults } = campaign;
  const nothing = { lost: 0, doubledEffects: 0, duplicatePosts: 0, orderViolations: 0, changedBytes: 0 };
  expect(figures).toMatchObject({ notices: 2_000, ...nothing });
  expect(toTable('L2', campaign).holds).toBe(true);
  // It was no walk in the park.
  expect(figures.ambiguous).toBeGreaterThan(50);
  expect(figures.ways.receipt).toBeGreaterThan(0);
  expect(kills).toEqual({ worker: 1 });
  expect(Object.keys(faults).length).toBeGreaterThan(8);
}, 600_000);
