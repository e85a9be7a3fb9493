/**
 * Lookup over HTTP at a fixed rate, as people type: beginnings, whole names, several words, slips. Client and server share
 * the machine's processors; in turns with it a server that answers as many bytes and does nothing, which shows what the
 * client and the machine take. `--rows 1000000 --rate 1000 --seconds 20`
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { places } from '../../examples/reference-data/places.js';
import { mixed, queryClasses } from '../lookup/queries.js';
import { STEADY_HEAP } from '../../workers/compose/heap-growth.js';
import { median, writeResult } from '../report.js';
import { startProgram } from '../start-program.js';
import { cpuOf } from './cpu-report.js';
import { type Pauses, pausesOf } from './pauses.js';
import type { steadyLoad } from './steady-load.js';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  },
});
const [rows, rate, seconds] = [Number(values.rows), Number(values.rate), Number(values.seconds)];
const BARS = { p99Ms: 10, bytesPerRow: 600 };
const CONNECTIONS = 16;
const QUERIES_PER_CLASS = 400;

interface Served {
  secret: string;
  readySeconds: number;
  bytesPerRow: { rows: number; lookup: number; columns: number };
}
interface Side {
  child: ChildProcess;
  url: string;
}

const forked = (script: string, argument: string) =>
  startProgram(new URL(script, import.meta.url), [argument], {
    flags: [...STEADY_HEAP, '--expose-gc', '--max-old-space-size=8192'],
  });

async function start(script: string, argument: number): Promise<Side & { served: Served }> {
  const child = await forked(script, String(argument));
  const [message] = await once(child, 'message');
  return { child, url: message.url, served: message };
}

const client = await forked('steady-client.ts', '');
type Seen = Awaited<ReturnType<typeof steadyLoad>> & { pauses: Pauses };

async function ask({ child, url }: Side, paths: readonly string[], headers: Record<string, string>) {
  const before = await cpuOf(child);
  await pausesOf(child);
  client.send({ url, headers, paths, perSecond: rate, seconds, connections: CONNECTIONS });
  const [seen] = await once(client, 'message');
  const { times, late, pauses } = seen as Seen;
  const cpuUs = ((await cpuOf(child)) - before) / times.length;
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? NaN;
  const clientP99Ms = late[Math.floor(0.99 * (late.length - 1))] ?? NaN;
  const server = await pausesOf(child);
  return {
    requests: times.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    cpuUs,
    clientP99Ms,
    server,
    client: pauses,
  };
}

/** A round in one line: whose pauses were the longest, of the server or of the client. */
function shown({ server, client, ...figures }: Awaited<ReturnType<typeof ask>>) {
  const named = (side: string, pauses: Pauses) =>
    Object.entries(pauses).map(([name, ms]) => [`${side} ${name}`, Math.round(ms * 10) / 10]);
  return { ...figures, ...Object.fromEntries([...named('server', server), ...named('client', client)]) };
}

/** Size of the answers, in bytes. */
async function meanSize(url: string, paths: readonly string[], headers: Record<string, string>): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += (await (await fetch(`${url}${path}`, { headers })).arrayBuffer()).byteLength;
  return Math.round(bytes / paths.length);
}

const { queries } = mixed(queryClasses(places(rows), QUERIES_PER_CLASS), QUERIES_PER_CLASS);
const paths = queries.map((q) => `/v2/locations/lookup?q=${encodeURIComponent(q)}`);

const lookup = await start('lookup-server.ts', rows);
const { served } = lookup;
const headers = { 'x-api-key': served.secret };
const floor = await start('constant-server.ts', await meanSize(lookup.url, paths, headers));
for (const side of [floor, lookup]) await ask(side, paths, headers); // warm
const rounds = [];
const floors = [];
for (let n = 0; n < Number(values.rounds); n += 1) {
  floors.push({ load: loadavg()[0], ...(await ask(floor, paths, headers)) });
  rounds.push({ load: loadavg()[0], ...(await ask(lookup, paths, headers)) });
}
for (const child of [client, floor.child, lookup.child]) child.disconnect();

const p99Ms = median(rounds.map((each) => each.p99Ms));
const { rows: stored, lookup: indexed, columns } = served.bytesPerRow;
const passed = p99Ms <= BARS.p99Ms && stored + indexed <= BARS.bytesPerRow;
console.log('a server that does nothing');
console.table(floors.map(shown));
console.log('lookup');
console.table(rounds.map(shown));
console.log(
  `lookup over HTTP, ${rows.toLocaleString('en')} rows, ${rate}/s: p99 ${p99Ms.toFixed(2)} ms, bar ${BARS.p99Ms} ms`,
);
console.log(
  `memory per row: ${stored.toFixed(0)} bytes stored row + ${indexed.toFixed(0)} lookup = ${(stored + indexed).toFixed(0)}, ` +
    `bar ${BARS.bytesPerRow}; and ${columns.toFixed(0)} columns for filters and orders`,
);
await writeResult('reference-lookup', {
  command: 'npx tsx bench/reference/lookup.ts',
  bars: BARS,
  passed,
  p99Ms,
  rows,
  rate,
  bytesPerRow: served.bytesPerRow,
  readySeconds: served.readySeconds,
  floors,
  rounds,
});
process.exitCode = passed ? 0 : 1;
