import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack, startStack } from '../../stack/stack.js';
import { runClusterCampaign } from './cluster/campaign.js';
import { planFaults } from './cluster/fault-plan.js';

const report = (line: string): void => console.error(line);
const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? 7);
const folder = await mkdtemp(join(tmpdir(), 'slipway-chaos-'));
const stateDir = join(folder, 'state');
const stack = { stateDir, portBase: await findFreePortBase(), environment: process.env, report };
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
try {
  const environment = { ...process.env, ...(await startStack(stack)) };
  const plan = process.env.CALM ? [] : planFaults(seed, { seconds, lastsSeconds: [10, 15], pauseSeconds: [2, 4] });
  const campaign = await runClusterCampaign({
    ...{ environment, folder: join(folder, 'processes'), portBase: await findFreePortBase() },
    ...{ seconds, plan, settleMs: Number(process.env.SETTLE ?? 240_000), report, signal: ending.signal },
  });
  console.log(JSON.stringify(campaign, null, 2));
} finally {
  await resetStack({ stateDir, report });
  if (process.env.KEEP === undefined) await rm(folder, { recursive: true, force: true });
}
process.exit();
