import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack, startStack } from '../../stack/stack.js';
import { runClusterCampaign } from './cluster/campaign.js';
import { LONG, nameOf, planFaults, SHORT } from './cluster/fault-plan.js';
import { toClusterTable } from './cluster/table.js';

export interface ClusterRunOptions {
  minutes: number;
  /** A short form with shorter faults, instead of so many minutes. */
  seconds?: number;
  seed: number;
  /** Prints the faults and starts nothing. */
  plan?: true;
  /** Leaves the logs and the data of the run where they are. */
  keep?: true;
}

/** After the last fault. Supervision and leases need a minute to move; containers are removed by the sweep. */
const SETTLE_MS = 300_000;

/** Runs a campaign on a cluster with an embedded stack of its own, and prints its figures. @returns whether every bar holds */
export async function runCluster(
  { minutes, seconds: short, seed, plan: isDry, keep }: ClusterRunOptions,
  { signal, report }: { signal: AbortSignal; report: (line: string) => void },
): Promise<boolean> {
  const seconds = short ?? minutes * 60;
  const plan = planFaults(seed, { seconds, ...(short === undefined ? LONG : SHORT) });
  const time = short === undefined ? `--minutes ${minutes}` : `--seconds ${short}`;
  const command = `npm run chaos -- cluster ${time} --seed ${seed}`;
  if (isDry) {
    for (const fault of plan)
      console.log(`${toSeconds(fault.atMs)} s: ${nameOf(fault)}, ${toSeconds(fault.lastsMs)} s`);
    return true;
  }
  report(`${command}: ${plan.length} faults`);
  const folder = await mkdtemp(join(tmpdir(), 'slipway-chaos-'));
  const stateDir = join(folder, 'state');
  try {
    const stack = { stateDir, portBase: await findFreePortBase(), environment: process.env, report };
    const environment = { ...process.env, ...(await startStack({ ...stack, signal })) };
    const campaign = await runClusterCampaign({
      ...{ environment, folder: join(folder, 'processes'), portBase: await findFreePortBase() },
      ...{ seconds, plan, settleMs: SETTLE_MS, report, signal },
    });
    const { text, holds } = toClusterTable(campaign);
    console.log(`\n${command}\n\n${text}`);
    return holds;
  } finally {
    await resetStack({ stateDir, report });
    if (keep) report(`logs: ${join(folder, 'processes', 'logs')}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

const toSeconds = (ms: number): number => Math.round(ms / 1_000);
