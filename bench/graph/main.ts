import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import autocannon, { type Request } from 'autocannon';
import { median, writeResult } from '../report.js';
import { startProgram } from '../start-program.js';
import { CUSTOMERS, filterOf, nextFilterOf, QUERY } from './data.js';

/**
 * 20 rows with two relations over HTTP, by the service and by graphql-yoga over the same rows in memory, in short turns;
 * and by the service while twenty rows a second are written, of those that are searched and of those that they refer to,
 * so that less of what it read holds. Client and server share the machine's processors; a server's processor time for
 * each answer is printed beside the rate, as other work on the machine changes it least. The service checks a key and a
 * rate, reads the filter and counts the cost of each request; the peer does none of it. Both run as in production, where
 * the library of both leaves its dearest checks out. The 500 queries are asked again
 * and again: what the service keeps of an answer, and for how long, is part of what is measured. So the same is done once
 * more with filters of which none is asked for twice.
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

const bodyOf = (filter: string): string => JSON.stringify({ query: QUERY, variables: { filter } });
const headersOf = ({ secret }: Served) => ({
  'content-type': 'application/json',
  ...(secret && { 'x-api-key': secret }),
});

interface Started {
  child: ChildProcess;
  served: Served;
}

async function start(side: Side): Promise<Started> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = await startProgram(new URL('server.ts', import.meta.url), [side], { env });
  const [served] = await once(child, 'message');
  return { child, served };
}

async function answerOf(served: Served, filter: string): Promise<string> {
  const reply = await fetch(`${served.url}/v2/graphql`, {
    method: 'POST',
    headers: headersOf(served),
    body: bodyOf(filter),
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

/** The same queries again and again. */
function repeated(served: Served): Request[] {
  return Array.from({ length: CUSTOMERS }, (_, n) => ({ ...requestTo(served), body: bodyOf(filterOf(n + 1)) }));
}

let turn = 0;
/** Never one twice, so that nothing that was kept of an answer helps. */
function fresh(served: Served): Request[] {
  const setupRequest = (request: Request) => {
    turn += 1;
    return { ...request, body: bodyOf(nextFilterOf((turn % CUSTOMERS) + 1, turn)) };
  };
  return [{ ...requestTo(served), setupRequest }];
}

const requestTo = (served: Served) => ({
  method: 'POST' as const,
  path: '/v2/graphql',
  headers: headersOf(served),
});

async function round({ child, served }: Started, requests: Request[], seconds = SECONDS) {
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
for (const filter of [1, 77, CUSTOMERS].flatMap((customer) => [filterOf(customer), nextFilterOf(customer, 1)])) {
  const [one, other] = await Promise.all([yoga, slipway].map(({ served }) => answerOf(served, filter)));
  if (one !== other || !one?.includes('"skills":[{')) throw new Error(`the answers differ: ${one} ${other}`);
}
const LOADS = {
  yoga: () => round(yoga, repeated(yoga.served)),
  slipway: () => round(slipway, repeated(slipway.served)),
  written: () => round(written, repeated(written.served)),
  'yoga, never the same': () => round(yoga, fresh(yoga.served)),
  'slipway, never the same': () => round(slipway, fresh(slipway.served)),
  'written, never the same': () => round(written, fresh(written.served)),
};
type Load = keyof typeof LOADS;
type Figures = Awaited<ReturnType<typeof round>>;
const loads = Object.entries(LOADS) as [Load, () => Promise<Figures>][]; // the table's own keys
const rounds = Object.fromEntries(loads.map(([load]) => [load, [] as Figures[]])) as Record<Load, Figures[]>;
for (const [, run] of loads) await run(); // warm
for (let n = 0; n < ROUNDS; n += 1) {
  for (const [load, run] of loads) rounds[load].push(await run());
}
for (const { child } of Object.values(started)) child.kill();

const rateOf = (load: Load): number => median(rounds[load].map(({ perSecond }) => perSecond));
const processorOf = (load: Load): number => median(rounds[load].map(({ processorUs }) => processorUs));
const ratio = rateOf('slipway') / rateOf('yoga');
const whileWritten = rateOf('written') / rateOf('yoga');
const neverTheSame = {
  ratio: rateOf('slipway, never the same') / rateOf('yoga, never the same'),
  whileWritten: rateOf('written, never the same') / rateOf('yoga, never the same'),
  ofProcessor: processorOf('yoga, never the same') / processorOf('slipway, never the same'),
};
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
console.log(
  `with queries of which none comes twice: ${neverTheSame.ratio.toFixed(2)} times; ` +
    `${neverTheSame.whileWritten.toFixed(2)} times while rows are written; ` +
    `${neverTheSame.ofProcessor.toFixed(2)} times as many for the same processor time`,
);
const command = 'npx tsx bench/graph/main.ts';
await writeResult('graph', { command, bar: BAR, passed, ratio, whileWritten, ofProcessor, neverTheSame, rounds });
process.exitCode = passed ? 0 : 1;
