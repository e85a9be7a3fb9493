import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { startProgram } from '../start-program.js';

/**
 * The time that the gateway adds to a request, with tokens checked and records written: the same calls directly to the replica
 * and through the gateway, in turns, on the same number of connections. The bar is on the added p50 at one connection:
 * there it is the time of a request; with more, both sides and the load generator queue for the same processors.
 */
const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = [1, 8];
const BAR_MS = 0.5;
const BODY = '{"columns":["fixed acidity","volatile acidity","citric acid"],"data":[[7.4,0.7,12345678901234567]]}';

type Side = 'direct' | 'gateway';
interface Figures {
  p50Ms: number;
  p99Ms: number;
  requestsPerSecond: number;
}

function start(program: string, ...args: string[]): Promise<ChildProcess> {
  return startProgram(new URL(program, import.meta.url), args);
}

async function round(url: string, token: string, connections: number, seconds: number): Promise<Figures> {
  const times: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url: `${url}/api/model/invoke`,
      method: 'POST',
      connections,
      duration: seconds,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: BODY,
    };
    const run = autocannon(options, (err, done) =>
      err ? reject(new Error('the load generator failed', { cause: err })) : resolve(done),
    );
    // Its own histogram counts whole milliseconds.
    run.on('response', (_client, _status, _bytes, ms) => times.push(ms));
  });
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} bad replies, ${result.errors} errors`);
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(times.length * part)] ?? NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), requestsPerSecond: times.length / result.duration };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const middle = (rounds: Figures[]): Figures => ({
  p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  requestsPerSecond: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
});

const replica = await start('upstream.ts');
const [{ url: replicaUrl }] = await once(replica, 'message');
const gateway = await start('gateway.ts', replicaUrl);
const [{ url: gatewayUrl, token }] = await once(gateway, 'message');
const urls: Record<Side, string> = { direct: replicaUrl, gateway: `${gatewayUrl}/model/bench` };
for (const url of Object.values(urls)) await round(url, token, 8, 2); // warm

const rows = [];
for (const connections of CONNECTIONS) {
  const rounds: Record<Side, Figures[]> = { direct: [], gateway: [] };
  for (let n = 0; n < ROUNDS; n += 1) {
    for (const side of ['direct', 'gateway'] as const) {
      rounds[side].push(await round(urls[side], token, connections, SECONDS));
    }
  }
  const [direct, through] = [middle(rounds.direct), middle(rounds.gateway)];
  const added = { p50Ms: through.p50Ms - direct.p50Ms, p99Ms: through.p99Ms - direct.p99Ms };
  rows.push({ connections, direct, gateway: through, added, rounds });
}
gateway.send('stop');
const [spool] = await once(gateway, 'message');
replica.kill();

const ms = (value: number): string => value.toFixed(3);
console.table(
  rows.map(({ connections, direct, gateway: through, added }) => ({
    connections,
    'direct p50 ms': ms(direct.p50Ms),
    'gateway p50 ms': ms(through.p50Ms),
    'added p50 ms': ms(added.p50Ms),
    'direct p99 ms': ms(direct.p99Ms),
    'gateway p99 ms': ms(through.p99Ms),
    'added p99 ms': ms(added.p99Ms),
    'direct req/s': Math.round(direct.requestsPerSecond),
    'gateway req/s': Math.round(through.requestsPerSecond),
  })),
);
const passed = (rows[0]?.added.p50Ms ?? Infinity) < BAR_MS;
console.log(
  `added p50 at one connection: ${ms(rows[0]?.added.p50Ms ?? NaN)} ms, bar ${BAR_MS} ms: ${passed ? 'ok' : 'MISSED'}`,
);
const host = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
const results = new URL('../results/', import.meta.url);
await mkdir(results, { recursive: true });
const report = {
  command: 'npx tsx bench/gateway/main.ts',
  at: new Date(),
  host,
  secondsPerRound: SECONDS,
  barMs: BAR_MS,
  passed,
  spool,
  rows,
};
await writeFile(new URL('gateway.json', results), `${JSON.stringify(report, null, 2)}\n`);
process.exitCode = passed ? 0 : 1;
