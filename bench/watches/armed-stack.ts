/**
 * One watch over a million rows on the embedded stack, through the real API and worker:
 * `npx tsx bench/watches/armed-stack.ts [rows] [sample] [due a second]`.
 *
 * The rows are put into the log as an import leaves them, those of the sample with earlier times than the rest. Once all are
 * armed, the period is shortened so that the sample comes due, one after the other, and the rest does not. Each notice is
 * taken where a receiver gets it, and held against its deadline and against the entry of the log that passed it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry } from '../../reference/dataset/change.js';
import { collections } from '../../platform/stores/collections.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';
import { startTestPlatform } from '../../test/e2e/platform.js';
import { startTestStack, stopTestStack } from '../../test/stack/test-stack.js';
import { writeResult } from '../report.js';
import { watchHighest } from '../soak/memory.js';

const [rows = 1_000_000, sample = 600, perSecond = 20] = process.argv.slice(2).map(Number);
const BARS = { afterPassageP99Ms: 1_000 };
const DATASET = 'positions';
const ENTRY_ROWS = 500;
const [HOUR_MS, LEAD_MS] = [3_600_000, 20_000];

interface Arrival {
  entity: string;
  due: number;
  detected: number;
  at: number;
}
const arrivals: Arrival[] = [];
const receiver = createServer((request, response) => {
  const at = Date.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.end();
    if (chunks.length === 0) return; // the handshake
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
    if (type !== 'watch.absent') return; // a probe
    arrivals.push({ entity: data.entity_id, due: Date.parse(data.due_at), detected: Date.parse(data.detected_at), at });
  });
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

Object.assign(process.env, await startTestStack());
const platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
const { MONGODB_URI = '', SLIPWAY_DATABASE = '' } = platform.environment;
const database = await connectDatabase(MONGODB_URI, SLIPWAY_DATABASE);
const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: DATASET });
try {
  const { worker, api } = platform.processes;
  const memories = { worker: watchHighest(worker), api: watchHighest(api) };
  const spec = { fields: { status: { type: 'text' } } };
  await platform.admin.call('PUT', `/v2/datasets/${DATASET}`, { kind: 'Dataset', id: DATASET, spec });
  const begun = Date.now() - 3 * HOUR_MS; // of the sample; the rest is an hour younger
  const end = await fill(begun);
  await untilRead();

  const rate = { per_second: 200, concurrency: 16 };
  const subscription = { name: 'absences', url, types: ['watch.absent'], rate };
  await platform.admin.call('POST', '/v2/subscriptions', subscription);
  const created = performance.now();
  const watch = { name: 'all of them', scope: { dataset: DATASET }, period: 'P30D' };
  const { id } = (await platform.admin.call<{ id: string }>('POST', '/v2/watches', watch)).body;
  await untilArmed(`/v2/watches/${id}`);
  const armSeconds = (performance.now() - created) / 1_000;
  console.log(`${rows} rows armed in ${armSeconds.toFixed(1)} s; the worker holds ${memories.worker.now()} MiB`);

  const seconds = Math.ceil((Date.now() + LEAD_MS - begun) / 1_000);
  await platform.admin.call('PATCH', `/v2/watches/${id}`, { period: `PT${seconds}S` }, { 'if-match': '*' });
  const firstDue = begun + seconds * 1_000;
  await arrived(firstDue + (sample / perSecond) * 1_000 + 60_000);

  const passages = await passagesFrom(end + 1);
  const figures = {
    rows,
    sample,
    perSecond,
    armSeconds: Math.round(armSeconds),
    // language: `told` is a field of the result files
    told: new Set(arrivals.map(({ entity }) => entity)).size,
    posts: arrivals.length,
    afterDeadline: quantiles(arrivals.map(({ at, due }) => at - due)),
    afterPassage: quantiles(arrivals.map(({ at, due }) => at - passageOf(passages, due))),
    detectedAfterPassage: quantiles(arrivals.map(({ detected, due }) => detected - passageOf(passages, due))),
    workerMiB: memories.worker.stop(),
    apiMiB: memories.api.stop(),
  };
  const line = ({ p50, p99, max }: ReturnType<typeof quantiles>): string =>
    `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
  // language: `told` is a field of the result files
  console.log(`${figures.told} of ${sample} absences delivered by ${figures.posts} POSTs, ${perSecond} due a second:`);
  console.log(`from the deadline to the receiver: ${line(figures.afterDeadline)}`);
  console.log(`from the log's passing of it:      ${line(figures.afterPassage)} (bar ${BARS.afterPassageP99Ms})`);
  console.log(`  of that until it was found:      ${line(figures.detectedAfterPassage)}`);
  console.log(`the worker held ${figures.workerMiB.before} MiB before and ${figures.workerMiB.most} at most`);
  await writeResult('watches-armed-stack', { ...figures, bars: BARS });
} finally {
  await database.close();
  receiver.close();
  await platform.stop();
  await stopTestStack();
}
process.exit();

/** @returns the position of the last entry */
async function fill(sampleFrom: number): Promise<number> {
  const began = performance.now();
  let position = 1; // the declaration
  for (let from = 0; from < rows; from += ENTRY_ROWS) {
    const changes = Array.from({ length: Math.min(ENTRY_ROWS, rows - from) }, (_, n) => {
      const index = from + n;
      const time = index < sample ? sampleFrom + Math.round((index * 1_000) / perSecond) : sampleFrom + HOUR_MS;
      return changeOf(String(index + 1), new Date(time).toISOString());
    });
    position += 1;
    const place = { position, at: new Date().toISOString(), token: `fill-${position}` };
    await log.insert({ kind: 'changes', changes, ...place });
  }
  console.log(`${rows} rows in the log after ${Math.round((performance.now() - began) / 1_000)} s`);
  return position;
}

function changeOf(id: string, at: string) {
  const body = `{"id":"${id}","status":"Open","version":1,"created_at":"${at}","updated_at":"${at}"}`;
  return { id, version: 1, at, body, actor: 'bench', schema: 1, commit: id };
}

async function untilRead(): Promise<void> {
  for (;;) {
    const found = await platform.admin.call('GET', `/v2/${DATASET}/${rows}`).catch(() => undefined);
    if (found !== undefined) return;
    await sleep(500);
  }
}

async function untilArmed(path: string): Promise<void> {
  for (;;) {
    const { body } = await platform.admin.call<{ evaluation: { armed: number } | null }>('GET', path);
    if (body.evaluation?.armed === rows) return;
    await sleep(250);
  }
}

async function arrived(deadline: number): Promise<void> {
  while (arrivals.length < sample && Date.now() < deadline) await sleep(200);
}

/** Times of the entries that came since the rows. */
async function passagesFrom(position: number): Promise<number[]> {
  const times: number[] = [];
  for (let entry = await log.read(position); entry !== undefined; entry = await log.read(position + times.length)) {
    times.push(Date.parse(entry.at));
  }
  return times;
}

/** The log says that nothing came by a deadline with its first entry behind it. */
function passageOf(passages: readonly number[], due: number): number {
  return passages.find((time) => time > due) ?? NaN;
}

function quantiles(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
