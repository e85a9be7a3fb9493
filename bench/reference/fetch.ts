import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median, writeResult } from '../report.js';

/**
 * Fetch by id over HTTP, and a bare Koa route that answers the same bytes from the same memory, in turns. Client and
 * server share the machine's processors. The service checks a key, a rate and a scope, and answers with tag, freshness
 * and limits.
 */
const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 32;
const ROWS = 10_000;
const BAR = 0.7;

const SIDES = ['bare', 'slipway'] as const;
type Side = (typeof SIDES)[number];
interface Served {
  url: string;
  secret: string;
}

async function start(side: Side): Promise<{ child: ChildProcess; served: Served }> {
  const script = fileURLToPath(new URL('fetch-server.ts', import.meta.url));
  const child = fork(script, [side, String(ROWS)], { execArgv: ['--import', 'tsx'] });
  const [served] = await once(child, 'message');
  return { child, served };
}

async function round({ url, secret }: Served, seconds: number, etag?: string) {
  const requests = Array.from({ length: 1_000 }, (_, n) => ({ path: `/v2/locations/${((n * 7_919) % ROWS) + 1}` }));
  const headers = { 'x-api-key': secret, ...(etag !== undefined && { 'if-none-match': etag }) };
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, headers, requests });
  const bad = etag === undefined ? result.non2xx : result.requests.total - (result['3xx'] ?? 0);
  if (bad + result.errors > 0) throw new Error(`${bad} other replies, ${result.errors} errors`);
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 };
}

const [bare, slipway] = await Promise.all(SIDES.map(start));
if (!bare || !slipway) throw new Error('a side is missing');
const rounds: Record<'bare' | 'slipway' | 'slipway304', Awaited<ReturnType<typeof round>>[]> = {
  bare: [],
  slipway: [],
  slipway304: [],
};
for (const { served } of [bare, slipway]) await round(served, 2); // warm
for (let n = 0; n < ROUNDS; n += 1) {
  rounds.bare.push(await round(bare.served, SECONDS));
  rounds.slipway.push(await round(slipway.served, SECONDS));
  rounds.slipway304.push(await round(slipway.served, SECONDS, '"1.1.0"'));
}
for (const { child } of [bare, slipway]) child.kill();

const rate = (side: keyof typeof rounds): number => median(rounds[side].map(({ perSecond }) => perSecond));
const ratio = rate('slipway') / rate('bare');
console.table(
  Object.fromEntries(
    Object.entries(rounds).map(([side, list]) => [
      side,
      {
        'requests/s': Math.round(median(list.map(({ perSecond }) => perSecond))),
        'p99 ms': median(list.map(({ p99Ms }) => p99Ms)),
      },
    ]),
  ),
);
const passed = ratio >= BAR;
console.log(
  `fetch by id: ${(ratio * 100).toFixed(1)} % of a bare route, bar ${BAR * 100} %: ${passed ? 'ok' : 'MISSED'}`,
);
await writeResult('reference-fetch', { command: 'npx tsx bench/reference/fetch.ts', bar: BAR, passed, ratio, rounds });
process.exitCode = passed ? 0 : 1;
