/**
 * Lookup over HTTP at a fixed rate, as people type: beginnings, whole names, several words, slips. Client and server share
 * the machine's processors. `--rows 1000000 --rate 1000 --seconds 20`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { places } from '../../examples/reference-data/places.js';
import { mixed, queryClasses } from '../lookup/queries.js';
import { median, writeResult } from '../report.js';
import { steadyLoad } from './steady-load.js';

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
  url: string;
  secret: string;
  readySeconds: number;
  bytesPerRow: { rows: number; lookup: number; columns: number };
}

async function ask({ url, secret }: Served, queries: readonly string[]) {
  const paths = queries.map((q) => `/v2/locations/lookup?q=${encodeURIComponent(q)}`);
  const headers = { 'x-api-key': secret };
  const times = await steadyLoad({ url, headers, paths, perSecond: rate, seconds, connections: CONNECTIONS });
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? NaN;
  return { requests: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

const { queries } = mixed(queryClasses(places(rows), QUERIES_PER_CLASS), QUERIES_PER_CLASS);

const script = fileURLToPath(new URL('lookup-server.ts', import.meta.url));
const child = fork(script, [String(rows)], {
  execArgv: ['--import', 'tsx', '--expose-gc', '--max-old-space-size=8192'],
});
const [message] = await once(child, 'message');
const served = message as Served;
await ask(served, queries); // warm
const rounds = [];
for (let n = 0; n < Number(values.rounds); n += 1) rounds.push({ load: loadavg()[0], ...(await ask(served, queries)) });
child.disconnect();

const p99Ms = median(rounds.map((each) => each.p99Ms));
const { rows: stored, lookup, columns } = served.bytesPerRow;
const passed = p99Ms <= BARS.p99Ms && stored + lookup <= BARS.bytesPerRow;
console.table(rounds);
console.log(
  `lookup over HTTP, ${rows.toLocaleString('en')} rows, ${rate}/s: p99 ${p99Ms.toFixed(2)} ms, bar ${BARS.p99Ms} ms`,
);
console.log(
  `memory per row: ${stored.toFixed(0)} bytes stored row + ${lookup.toFixed(0)} lookup = ${(stored + lookup).toFixed(0)}, ` +
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
  rounds,
});
process.exitCode = passed ? 0 : 1;
