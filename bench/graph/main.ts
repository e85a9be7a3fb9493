import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median, writeResult } from '../report.js';
import { CUSTOMERS, filterOf, QUERY } from './data.js';

/**
 * 20 rows with two relations over HTTP, by the service and by graphql-yoga over the same rows in memory, in turns; and by
 * the service while ten times a second a row is written that others refer to, so that less of what it read holds.
 * Client and server share the machine's processors. The service checks a key and a rate, reads the filter and counts
 * the cost of each request; the peer does none of it.
 */
const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 32;
const BAR = 3;

const SIDES = ['yoga', 'slipway', 'written'] as const;
type Side = (typeof SIDES)[number];
interface Served {
  url: string;
  secret: string;
}

const bodyOf = (customer: number): string =>
  JSON.stringify({ query: QUERY, variables: { filter: filterOf(customer) } });
const headersOf = ({ secret }: Served) => ({
  'content-type': 'application/json',
  ...(secret && { 'x-api-key': secret }),
});

async function start(side: Side): Promise<{ child: ChildProcess; served: Served }> {
  const script = fileURLToPath(new URL('server.ts', import.meta.url));
  const child = fork(script, [side], { execArgv: ['--import', 'tsx'] });
  const [served] = await once(child, 'message');
  return { child, served };
}

async function answerOf(served: Served, customer: number): Promise<string> {
  const reply = await fetch(`${served.url}/v2/graphql`, {
    method: 'POST',
    headers: headersOf(served),
    body: bodyOf(customer),
  });
  const { data } = (await reply.json()) as { data: unknown };
  return JSON.stringify(data);
}

async function round(served: Served, seconds: number) {
  const requests = Array.from({ length: CUSTOMERS }, (_, n) => ({
    method: 'POST' as const,
    path: '/v2/graphql',
    headers: headersOf(served),
    body: bodyOf(n + 1),
  }));
  const result = await autocannon({ url: served.url, connections: CONNECTIONS, duration: seconds, requests });
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} other replies, ${result.errors} errors`);
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 };
}

const [yoga, slipway, written] = await Promise.all(SIDES.map(start));
if (!yoga || !slipway || !written) throw new Error('a side is missing');
for (const customer of [1, 77, CUSTOMERS]) {
  const [one, other] = await Promise.all([yoga, slipway].map(({ served }) => answerOf(served, customer)));
  if (one !== other || !one?.includes('"skills":[{')) throw new Error(`the answers differ: ${one} ${other}`);
}
const rounds: Record<Side, Awaited<ReturnType<typeof round>>[]> = { yoga: [], slipway: [], written: [] };
for (const { served } of [yoga, slipway, written]) await round(served, 3); // warm
for (let n = 0; n < ROUNDS; n += 1) {
  rounds.yoga.push(await round(yoga.served, SECONDS));
  rounds.slipway.push(await round(slipway.served, SECONDS));
  rounds.written.push(await round(written.served, SECONDS));
}
for (const { child } of [yoga, slipway, written]) child.kill();

const rate = (side: Side): number => median(rounds[side].map(({ perSecond }) => perSecond));
const ratio = rate('slipway') / rate('yoga');
console.table(
  Object.fromEntries(
    Object.entries(rounds).map(([side, list]) => [
      side,
      {
        'requests/s': Math.round(median(list.map(({ perSecond }) => perSecond))),
        'p50 ms': median(list.map(({ p50Ms }) => p50Ms)),
        'p99 ms': median(list.map(({ p99Ms }) => p99Ms)),
      },
    ]),
  ),
);
const passed = ratio >= BAR;
const whileWritten = rate('written') / rate('yoga');
console.log(
  `20 rows with two relations: ${ratio.toFixed(2)} times graphql-yoga, bar ${BAR}: ${passed ? 'ok' : 'MISSED'}; ` +
    `${whileWritten.toFixed(2)} times while skills are written`,
);
await writeResult('graph', { command: 'npx tsx bench/graph/main.ts', bar: BAR, passed, ratio, whileWritten, rounds });
process.exitCode = passed ? 0 : 1;
