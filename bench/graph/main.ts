import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median, writeResult } from '../report.js';
import { CUSTOMERS, filterOf, QUERY } from './data.js';

/**
 * 20 rows with two relations over HTTP, by the service and by graphql-yoga over the same rows in memory, in short turns;
 * and by the service while twenty rows a second are written, of those that are searched and of those that they refer to,
 * so that less of what it read holds. Client and server share the machine's processors; a server's processor time for
 * each answer is told beside the rate, as other work on the machine changes it least. The service checks a key and a
 * rate, reads the filter and counts the cost of each request; the peer does none of it. The 500 queries are asked again
 * and again: what the service keeps of an answer, and for how long, is part of what is measured.
 */
const ROUNDS = 7;
const SECONDS = 3;
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

/** Microseconds of a server's processor time since its start. */
async function processorTime(child: ChildProcess): Promise<number> {
  child.send('usage');
  const [{ user, system }] = await once(child, 'message');
  return user + system;
}

async function round({ child, served }: Awaited<ReturnType<typeof start>>, seconds: number) {
  const requests = Array.from({ length: CUSTOMERS }, (_, n) => ({
    method: 'POST' as const,
    path: '/v2/graphql',
    headers: headersOf(served),
    body: bodyOf(n + 1),
  }));
  const before = await processorTime(child);
  const result = await autocannon({ url: served.url, connections: CONNECTIONS, duration: seconds, requests });
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} other replies, ${result.errors} errors`);
  return {
    perSecond: result.requests.average,
    processorUs: ((await processorTime(child)) - before) / result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}

const [yoga, slipway, written] = await Promise.all(SIDES.map(start));
if (!yoga || !slipway || !written) throw new Error('a side is missing');
const started = { yoga, slipway, written };
for (const customer of [1, 77, CUSTOMERS]) {
  const [one, other] = await Promise.all([yoga, slipway].map(({ served }) => answerOf(served, customer)));
  if (one !== other || !one?.includes('"skills":[{')) throw new Error(`the answers differ: ${one} ${other}`);
}
const rounds: Record<Side, Awaited<ReturnType<typeof round>>[]> = { yoga: [], slipway: [], written: [] };
for (const side of SIDES) await round(started[side], 3); // warm
for (let n = 0; n < ROUNDS; n += 1) {
  for (const side of SIDES) rounds[side].push(await round(started[side], SECONDS));
}
for (const { child } of Object.values(started)) child.kill();

const ratioOf = (side: Side): number => rateOf(side) / rateOf('yoga');
const rateOf = (side: Side): number => median(rounds[side].map(({ perSecond }) => perSecond));
const processorOf = (side: Side): number => median(rounds[side].map(({ processorUs }) => processorUs));
const ratio = ratioOf('slipway');
const whileWritten = ratioOf('written');
const ofProcessor = processorOf('yoga') / processorOf('slipway');
console.table(
  Object.fromEntries(
    Object.entries(rounds).map(([side, list]) => [
      side,
      {
        'requests/s': Math.round(median(list.map(({ perSecond }) => perSecond))),
        'processor us': Math.round(median(list.map(({ processorUs }) => processorUs))),
        'p50 ms': median(list.map(({ p50Ms }) => p50Ms)),
        'p99 ms': median(list.map(({ p99Ms }) => p99Ms)),
      },
    ]),
  ),
);
const passed = ratio >= BAR;
console.log(
  `20 rows with two relations: ${ratio.toFixed(2)} times graphql-yoga, bar ${BAR}: ${passed ? 'ok' : 'MISSED'}; ` +
    `${whileWritten.toFixed(2)} times while rows are written; ` +
    `${ofProcessor.toFixed(2)} times as many for the same processor time of the server`,
);
const command = 'npx tsx bench/graph/main.ts';
await writeResult('graph', { command, bar: BAR, passed, ratio, whileWritten, ofProcessor, rounds });
process.exitCode = passed ? 0 : 1;
