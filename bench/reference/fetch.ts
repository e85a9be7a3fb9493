import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median, writeResult } from '../report.js';
import { startProgram } from '../start-program.js';
import { cpuOf } from './cpu-report.js';

/**
 * Fetch by id over HTTP, and a bare Koa route that answers the same bytes from the same memory, in turns. The client is
 * wrk, which is written in C: a client in JavaScript takes as long for an answer as the server, and longer for one with
 * more headers, so it would be what is measured. Client and server share the machine's processors. The service checks a
 * key, a rate and a scope, and answers with tag, freshness and limits; `headed` is the bare route with the same headers.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, seconds: { type: 'string', default: '2' } },
});
const CONNECTIONS = 32;
const ROWS = 10_000;
const BAR = 0.8;

interface Side {
  child: ChildProcess;
  url: string;
  secret: string;
}
interface Load extends Side {
  dataset?: string;
  etag?: string;
}

async function start(...args: readonly string[]): Promise<Side> {
  const child = await startProgram(new URL('fetch-server.ts', import.meta.url), [String(ROWS), ...args]);
  const [served] = await once(child, 'message');
  return { child, ...served };
}

const get = ({ url, secret, etag, dataset = 'locations' }: Omit<Load, 'child'>, id: number): Promise<Response> =>
  fetch(`${url}/v2/${dataset}/${id}`, { headers: { 'x-api-key': secret, ...(etag && { 'if-none-match': etag }) } });

const script = fileURLToPath(new URL('fetch.lua', import.meta.url));
const run = promisify(execFile);

async function round({ child, url, secret, dataset = 'locations', etag }: Load, seconds: string) {
  const before = await cpuOf(child);
  const args = [dataset, String(ROWS), secret, ...(etag === undefined ? [] : [etag])];
  const load = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, url, '--', ...args];
  const { stdout } = await run('wrk', load).catch((cause: unknown) => {
    throw new Error('wrk is needed: apt-get install wrk', { cause });
  });
  const serverUs = (await cpuOf(child)) - before;
  const { requests, wallUs, clientUs, p50Us, p99Us, failed } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return {
    perSecond: (requests * 1e6) / wallUs,
    serverUs: serverUs / requests,
    clientUs: clientUs / requests,
    serverBusy: serverUs / wallUs,
    p50Us,
    p99Us,
  };
}
type Figures = Awaited<ReturnType<typeof round>>;

const slipway = await start('slipway');
const answer = await get(slipway, 1);
const OF_THE_CONNECTION = ['connection', 'content-length', 'date', 'keep-alive'];
const headers = [...answer.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name));
const [bare, headed] = await Promise.all([start('bare'), start('bare', JSON.stringify(headers))]);
const etag = answer.headers.get('etag') ?? '';
const loads = {
  bare,
  headed,
  slipway,
  'slipway, 304': { ...slipway, etag },
  'slipway, with references': { ...slipway, dataset: 'positions' },
} satisfies Record<string, Load>;

for (const id of [1, 77, ROWS]) {
  const [one, ...others] = await Promise.all([bare, headed, slipway].map(async (side) => (await get(side, id)).text()));
  if (one === undefined || !others.every((other) => other === one)) throw new Error('the answers differ');
  const { status } = await get(loads['slipway, 304'], id);
  if (status !== 304) throw new Error(`${status} instead of 304`);
}
const names = Object.keys(loads) as (keyof typeof loads)[]; // they are these
const rounds = new Map<keyof typeof loads, Figures[]>();
for (const load of Object.values(loads)) await round(load, '2'); // warm
for (let n = 0; n < Number(values.rounds); n += 1) {
  for (const name of names) {
    rounds.set(name, [...(rounds.get(name) ?? []), await round(loads[name], values.seconds)]);
  }
}
for (const { child } of [bare, headed, slipway]) child.kill();

const FIGURES = ['perSecond', 'serverUs', 'clientUs', 'serverBusy', 'p50Us', 'p99Us'] as const;
/** The middle one of all rounds. */
const middle = (name: keyof typeof loads, figure: keyof Figures): number =>
  median((rounds.get(name) ?? []).map((each) => each[figure]));
const rateTo = (peer: keyof typeof loads): number => middle('slipway', 'perSecond') / middle(peer, 'perSecond');
const processorTo = (peer: keyof typeof loads): number => middle(peer, 'serverUs') / middle('slipway', 'serverUs');
const ratio = rateTo('bare');
const beside = {
  ofProcessor: processorTo('bare'),
  toHeaded: rateTo('headed'),
  toHeadedOfProcessor: processorTo('headed'),
};
const table = Object.fromEntries(
  Array.from(rounds.keys(), (name) => [
    name,
    Object.fromEntries(FIGURES.map((figure) => [figure, Number(middle(name, figure).toPrecision(4))])),
  ]),
);
console.table(table);
const passed = ratio >= BAR;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
console.log(
  `fetch by id: ${percent(ratio)} of a bare route's requests/s, bar ${percent(BAR)}: ${passed ? 'ok' : 'MISSED'}; ` +
    `${percent(beside.ofProcessor)} by processor time of the server; of one that sends the same headers ` +
    `${percent(beside.toHeaded)} and ${percent(beside.toHeadedOfProcessor)}`,
);
const command = 'npx tsx bench/reference/fetch.ts';
await writeResult('reference-fetch', { command, bar: BAR, passed, ratio, ...beside, sides: table });
process.exitCode = passed ? 0 : 1;
