import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { writeResult } from '../report.js';
import { spoolBytes } from '../../gateway/segment.js';
import { startProgram } from '../start-program.js';
import { callSteadily, type Latencies } from './steady-calls.js';

/**
 * A constant rate of calls: directly to the replica, through the gateway with its records, and through the gateway while
 * object storage is away. Then storage is back. How much latency does the gateway add, does memory stay bounded, and is
 * every record stored once?
 */
const options = new Command('npx tsx bench/gateway/storage-away.ts')
  .option('--minutes <count>', 'how long object storage is away', Number, 10)
  .option('--rate <calls>', 'calls a second', Number, 2_000)
  .parse()
  .opts<{ minutes: number; rate: number }>();
const { minutes, rate } = options;
const awaySeconds = minutes * 60;
const beforeSeconds = Math.min(30, awaySeconds);
/** Beyond what a process has after the calls before, however long storage is away: chunks of 8 MiB, and garbage. */
const BAR_MIB = 256;
const CATCH_UP_MS = 10 * 60_000;
const BODY = '{"columns":["fixed acidity","volatile acidity","citric acid"],"data":[[7.4,0.7,12345678901234567]]}';

const start = (program: string, ...args: string[]) => startProgram(new URL(program, import.meta.url), args);

async function residentMiB(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

const replica = await start('upstream.ts');
const [{ url: replicaUrl }] = await once(replica, 'message');
const gateway = await start('gateway.ts', replicaUrl);
const [{ url: gatewayUrl, token, spoolDir }] = await once(gateway, 'message');
const storage = await start('storage.ts', spoolDir);
await once(storage, 'message');

let called = 0;
const throughUrl = `${gatewayUrl}/model/bench`;
async function through(seconds: number): Promise<Latencies> {
  const figures = await callSteadily({ url: throughUrl, token, body: BODY, rate, seconds, from: called });
  called += figures.calls;
  return figures;
}

await through(2); // warm
const direct = await callSteadily({ url: replicaUrl, token, body: BODY, rate, seconds: beforeSeconds, from: 0 });
const present = await through(beforeSeconds);

const processes = { gateway: gateway.pid, uploader: storage.pid };
const before = await memory();
const most = { ...before };
storage.send('away');
const watching = new AbortController();
const watched = watch(watching.signal);
const away = await through(awaySeconds);
const spoolMiB = (await spoolBytes(spoolDir)) / 2 ** 20;
storage.send('back');
const backAt = Date.now();
let records = await storedRecords();
while (records.lost > 0 && Date.now() - backAt < CATCH_UP_MS) {
  await sleep(500);
  records = await storedRecords();
}
const caughtUpSeconds = (Date.now() - backAt) / 1_000;
watching.abort();
await watched;

storage.send('stop');
await once(storage, 'exit');
gateway.send('stop');
const [spool] = await once(gateway, 'message');
replica.kill();

const ms = (value: number): string => value.toFixed(2);
const grew = { gateway: most.gateway - before.gateway, uploader: most.uploader - before.uploader };
console.table(
  Object.entries({ direct, gateway: present, 'storage away': away }).map(([path, figures]) => ({
    path,
    calls: figures.calls,
    'p50 ms': ms(figures.p50Ms),
    'p99 ms': ms(figures.p99Ms),
    'added p50 ms': ms(figures.p50Ms - direct.p50Ms),
    'added p99 ms': ms(figures.p99Ms - direct.p99Ms),
  })),
);
const passed = records.lost + records.doubled + spool.dropped === 0 && Math.max(...Object.values(grew)) < BAR_MIB;
console.log(`while storage was away for ${awaySeconds} s, ${rate} calls a second`);
console.log(
  `  the spool grew to ${spoolMiB.toFixed(0)} MiB, and was stored ${caughtUpSeconds.toFixed(1)} s after the storage was back`,
);
console.log(
  `  memory grew by ${grew.gateway.toFixed(0)} MiB (gateway) and ${grew.uploader.toFixed(0)} MiB (uploader), bar ${BAR_MIB}`,
);
console.log(`  records of ${called} calls: ${records.lost} lost, ${records.doubled} doubled, ${spool.dropped} dropped`);
console.log(passed ? 'ok' : 'MISSED');
const figures = {
  direct,
  gateway: present,
  away,
  spoolMiB,
  caughtUpSeconds,
  memoryMiB: { before, most },
  records,
  called,
};
await writeResult('storage-away', {
  command: `npx tsx bench/gateway/storage-away.ts --minutes ${minutes} --rate ${rate}`,
  passed,
  ...figures,
});
process.exitCode = passed ? 0 : 1;

async function memory(): Promise<Record<keyof typeof processes, number>> {
  return { gateway: await residentMiB(processes.gateway), uploader: await residentMiB(processes.uploader) };
}

async function watch(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = await memory();
    for (const name of ['gateway', 'uploader'] as const) most[name] = Math.max(most[name], now[name]);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function storedRecords(): Promise<{ lost: number; doubled: number }> {
  storage.send(called);
  const [found] = await once(storage, 'message');
  return found;
}
