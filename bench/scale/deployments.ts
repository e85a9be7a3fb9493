import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { createEndpoints } from '../../lifecycle/stores/stored-endpoints.js';
import { writeResult } from '../report.js';
import { quantile } from '../notifications/scene.js';
import { imageIdOf } from './engine.js';
import { parseCount } from './options.js';
import { STUB_IMAGE } from './programs.js';
import { cpuPercent, mebibytes } from './processes.js';
import { machineLoad, report, type Scene, withScene } from './scene.js';

const BAR_MS = 5_000;
const PATH = '/api/v1/model/deployment';
const MOST_MS = 60_000;
const LOOK_MS = 10;
const AT_ONCE = 20;

const options = new Command('npx tsx bench/scale/deployments.ts')
  .description(
    'Serves many deployments of a stub image with one worker, and measures how long the update of one takes until its traffic gets the new image. Of the platform only the container engine is a double.',
  )
  .option('--deployments <count>', 'how many serve', parseCount, 1_000)
  .option('--updates <count>', 'how many are updated, one after another', parseCount, 30)
  .option('--idle-seconds <count>', 'how long the processor time without changes is measured', parseCount, 30)
  .parse()
  .opts<{ deployments: number; updates: number; idleSeconds: number }>();

const nameOf = (n: number): string => `stub-${String(n).padStart(5, '0')}`;
const imageOf = (n: number, version: number): string => `${STUB_IMAGE}${n}:${version}`;

await withScene({}, measure);
process.exit();

async function measure(scene: Scene): Promise<void> {
  const { deployments: count, updates, idleSeconds } = options;
  const startedMs = await deployAll(scene, count);
  await sleep(20_000); // the last ones retire
  const pids = await scene.pids();
  const before = await scene.engineCounts();
  const idleCpuPercent = await cpuPercent(pids, idleSeconds * 1_000);
  const engineCalls = callsPerSecond(before.counts, (await scene.engineCounts()).counts, idleSeconds);
  const workerMebibytes = mebibytes(pids.worker ?? 0);
  const loadBefore = machineLoad();

  const found = [];
  for (let n = 0; n < updates; n += 1) {
    found.push(await update(scene, Math.floor((n * count) / updates), n));
    report(`update ${n + 1}: ${JSON.stringify(found.at(-1))}`);
  }
  const times = found.map(({ ms }) => ms);
  const table = [
    {
      what: 'from the update to the first answer of the new image, ms',
      ...{ p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: Math.max(...times) },
      ...{ bar: BAR_MS, reached: Math.max(...times) <= BAR_MS },
    },
  ];
  const figures = {
    ...{ deployments: count, updates, table, updatesMs: times },
    callsWithoutAnswer: found.reduce((sum, { refused }) => sum + refused, 0),
    ...{ startedMs, idleCpuPercent, engineCalls, workerMebibytes },
    load: { before: loadBefore, after: machineLoad() },
  };
  console.table(table);
  console.log(JSON.stringify(figures, null, 2));
  await writeResult('scale-deployments', figures);
}

function bodyOf(n: number, version: number): object {
  return { id: nameOf(n), spec: { image: imageOf(n, version), predictor: 'platform-ml-server', minReplicas: 1 } };
}

/**
 * Creates the deployments through the API, a few at a time, and waits until each has its route: a thousand starts at once
 * would measure the database of the embedded stack.
 */
async function deployAll(scene: Scene, count: number): Promise<number> {
  const client = await scene.login();
  const endpoints = createEndpoints({ database: scene.database });
  const began = performance.now();
  for (let stored = 0, served = 0; served < count;) {
    const next = Math.min(count, served + AT_ONCE);
    for (; stored < next; stored += 1) await client.call('POST', PATH, bodyOf(stored, 1));
    const before = served;
    const lookedAt = performance.now();
    while ((served = (await endpoints.list()).length) < Math.min(count, stored - AT_ONCE / 2)) {
      if (performance.now() - lookedAt > MOST_MS) throw new Error(`only ${served} of ${stored} deployments serve`);
      await sleep(1_000); // each look reads all routes
    }
    if (Math.floor(served / 50) > Math.floor(before / 50))
      report(`${served} serve after ${Math.round((performance.now() - began) / 1_000)} s`);
    if (stored === count) await sleep(1_000);
  }
  return Math.round(performance.now() - began);
}

/** Changes the image of one deployment, and calls it until the new image answers. */
async function update(
  scene: Scene,
  n: number,
  round: number,
): Promise<{ ms: number; acceptedMs: number; refused: number }> {
  const client = await scene.login();
  const image = imageOf(n, round + 2);
  const began = performance.now();
  await client.call('PUT', PATH, bodyOf(n, round + 2));
  const acceptedMs = Math.round(performance.now() - began);
  const url = `${scene.platform.settings.SLIPWAY_BASE_URL}/model/${nameOf(n)}/api/model/invoke`;
  let refused = 0;
  while (performance.now() - began < MOST_MS) {
    const reply = await fetch(url, { method: 'POST', headers: client.headers, body: '{}' });
    const text = await reply.text();
    if (!reply.ok) refused += 1;
    else if ((JSON.parse(text) as { image: string }).image === imageIdOf(image))
      return { ms: Math.round(performance.now() - began), acceptedMs, refused };
    await sleep(LOOK_MS);
  }
  throw new Error(`${nameOf(n)} did not answer with ${image} within ${MOST_MS} ms`);
}

function callsPerSecond(before: Record<string, number>, after: Record<string, number>, seconds: number) {
  const rates = Object.entries(after).map(([call, count]) => [call, (count - (before[call] ?? 0)) / seconds] as const);
  return Object.fromEntries(rates.filter(([, rate]) => rate >= 1).map(([call, rate]) => [call, Math.round(rate)]));
}
