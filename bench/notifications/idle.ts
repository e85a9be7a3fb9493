import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { collections } from '../../platform/stores/collections.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import type { Revision } from '../../platform/stores/resource-log.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { createTemporalClient } from '../../workers/compose/temporal.js';
import { listNotified } from '../../workers/compose/notifications.js';
import { writeResult } from '../report.js';
import { cpuPercent, mebibytes } from '../scale/processes.js';
import { measure, openScene, quantile, report } from './scene.js';

// Hot subscriptions beside many that wait for the events of a dataset that never changes. The rows of these are copies of
// one subscription, written directly: a worker that starts takes them up, and none of them needs a workflow.
const HOT = 10;
const BARS = { p99Ms: 300, cpuPercent: 2, restartMs: 10_000 };
const idle = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 60);
const load = { perSecond: 5, seconds, good: HOT };
const IDLE = 'sub_idle';
const QUIET_PERCENT = 20;

const scene = await openScene();
const { platform } = scene;
const database = await connectDatabase(platform.settings.MONGODB_URI, platform.settings.SLIPWAY_DATABASE);
const temporal = createTemporalClient(platform.settings);
try {
  const receiver = await scene.startReceiver();
  for (let n = 0; n < HOT; n += 1) await scene.subscribe(`hot ${n}`, `${receiver.url}/good`);
  await measure(scene, receiver, { ...load, seconds: 5 }); // warm
  const alone = await measure(scene, receiver, load);
  await sleep(40_000); // the drains end
  const before = await readUsage();

  await copyIdle();
  killWorker('SIGTERM');
  const began = performance.now();
  await measure(scene, receiver, { ...load, seconds: 5 }); // the worker is there again
  const during = await measure(scene, receiver, load);
  while (await isBusy()) report('the worker takes up the subscriptions');
  const takenUpMs = Math.round(performance.now() - began);
  await sleep(40_000); // the drains end
  const after = await readUsage();
  const beside = await measure(scene, receiver, load);

  killWorker('SIGKILL');
  const killedAt = Date.now();
  await scene.write();
  let arrived = 0;
  while (arrived < HOT && Date.now() - killedAt < 300_000) {
    arrived += (await receiver.take()).ages.length;
    await sleep(100);
  }
  const restartMs = Date.now() - killedAt;
  let workflows = 0;
  for await (const id of listNotified(temporal)) workflows += id.startsWith(IDLE) ? 1 : 0;

  const p99 = quantile(beside.ages, 0.99);
  const table = [
    {
      what: 'p99 from commit to arrival, ms',
      alone: quantile(alone.ages, 0.99),
      'while taken up': quantile(during.ages, 0.99),
      ...{ beside: p99, bar: BARS.p99Ms, reached: p99 <= BARS.p99Ms },
    },
    {
      what: 'p50 from commit to arrival, ms',
      alone: quantile(alone.ages, 0.5),
      'while taken up': quantile(during.ages, 0.5),
      beside: quantile(beside.ages, 0.5),
    },
    {
      what: 'CPU of the worker without events, % of a core',
      ...{ alone: before.cpuPercent, beside: after.cpuPercent, bar: `+${BARS.cpuPercent}` },
      reached: after.cpuPercent - before.cpuPercent <= BARS.cpuPercent,
    },
    { what: 'memory of the worker, MiB', alone: before.mebibytes, beside: after.mebibytes },
    {
      what: 'from kill -9 of the worker until all hot ones have the next notice, ms',
      ...{ beside: restartMs, bar: BARS.restartMs, reached: restartMs <= BARS.restartMs },
    },
    { what: 'workflows of idle subscriptions', ...{ beside: workflows, bar: 0, reached: workflows === 0 } },
  ];
  console.log(`\n${HOT} hot subscriptions, ${load.perSecond} writes/s, beside ${idle} idle ones`);
  console.table(table);
  await writeResult('idle', { hot: HOT, idle, seconds, takenUpMs, bars: BARS, table });
} finally {
  await temporal.connection.close();
  await database.close();
  await scene.close();
}
process.exit();

/** The platform starts it again. */
function killWorker(signal: NodeJS.Signals): void {
  const { pid } = platform.processes.worker;
  if (pid === undefined) throw new Error('the worker does not run');
  process.kill(pid, signal);
}

/** Copies the rows of one subscription without work. */
async function copyIdle(): Promise<void> {
  await scene.declare('quiet');
  const id = await scene.subscribe('idle', 'http://127.0.0.1:9/', 'quiet');
  const subscriptions = database.table<Revision<Subscription>>(collections.entity('Subscription'));
  const row = await subscriptions.get(id);
  if (!row?.entity) throw new Error('the idle subscription is not in its collection');
  const status = { ...row.entity.status, state: 'active' as const, reason: null };
  for (let from = 0; from < idle; from += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, idle - from) }, (_, n) => {
      const copy = { ...row.entity, id: `${IDLE}${String(from + n).padStart(7, '0')}`, uid: randomUUID(), status };
      return { ...row, _id: copy.id, id: copy.id, uid: copy.uid, commit: randomUUID(), entity: copy } as typeof row;
    });
    await subscriptions.insertAll(rows);
  }
  report(`${idle} rows are there`);
}

/** The worker's processor time, in percent of one core, and its memory. */
async function readUsage() {
  const { pid = 0 } = platform.processes.worker;
  const used = await cpuPercent({ worker: pid }, Math.min(60, 2 * seconds) * 1_000);
  return { cpuPercent: used.worker ?? NaN, mebibytes: mebibytes(pid) };
}

/** Whether the worker or the database that it reads the subscriptions from has work. */
async function isBusy(): Promise<boolean> {
  const { pids } = scene;
  const used = await cpuPercent(await pids(), 10_000);
  return Math.max(used.worker ?? 0, used.mongodb ?? 0) > QUIET_PERCENT;
}
