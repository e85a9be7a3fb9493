import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runClusterCampaign } from '../../bench/chaos/cluster/campaign.js';
import { planFaults, SHORT } from '../../bench/chaos/cluster/fault-plan.js';
import { toClusterTable } from '../../bench/chaos/cluster/table.js';
import { findTestPortBase } from '../stack/port-base.js';
import { registerNamespace } from '../stack/temporal-namespace.js';
import { placeWorkflowBundle } from '../stack/workflow-bundle.js';

/** Its faults are kills of all kinds of processes, stops of a worker and of gateways, and a partition from each service. */
const SEED = 4;
const SECONDS = 60;

let folder: string | undefined;
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test('a minute of kills, stops and partitions: nothing is lost or done twice, no old model and no ghost route stays', async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-cluster-'));
  await placeWorkflowBundle(folder);
  const id = randomUUID().slice(0, 8);
  const lines: string[] = [];
  const campaign = await runClusterCampaign({
    environment: {
      ...process.env,
      TEMPORAL_NAMESPACE: await registerNamespace(`cluster-${id}`),
      SLIPWAY_DATABASE: `cluster_${id}`,
      SLIPWAY_BUCKET: `cluster-${id}`,
    },
    ...{ folder, portBase: await findTestPortBase(), seconds: SECONDS, settleMs: 300_000 },
    plan: planFaults(SEED, { seconds: SECONDS, ...SHORT }),
    report: (line) => void lines.push(line),
  });
  const { text, holds } = toClusterTable(campaign);
  expect(holds, [`seed ${SEED}`, text, ...lines].join('\n')).toBe(true);
  // There was something to lose.
  expect(campaign.notices.writes).toBeGreaterThan(30);
  expect(campaign.serving.generations).toBeGreaterThan(3);
  expect(campaign.runs.started).toBeGreaterThan(2);
  expect(Object.keys(campaign.faults).length).toBeGreaterThan(5);
}, 600_000);
