/**
 * A large import through the whole platform on the embedded stack: `npx tsx bench/reference/import.ts [MiB] [rows]`.
 *
 * First the stream: so many MiB of NDJSON, made as they are sent, as a dry run, so that what memory grows by is the stream
 * and not the rows that are kept. Then rows that are written, one change each.
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestPlatform } from '../../test/e2e/platform.js';
import { startTestStack, stopTestStack } from '../../test/stack/test-stack.js';
import { writeResult } from '../report.js';
import { watchHighest } from '../soak/memory.js';

const [mib = 1_024, rows = 100_000] = process.argv.slice(2).map(Number);
const BARS = { extraMiB: 200, rowsPerSecond: 1_500 };
const STREAMED_ROW_BYTES = 1_024;
const DATASET = 'imported';

interface Import {
  id: string;
  status: { state: string; message?: string; rows_read: number; created: number };
  started_at: string;
  ended_at?: string;
}

Object.assign(process.env, await startTestStack());
const platform = await startTestPlatform();
try {
  const fields = { name: { type: 'text', required: true }, note: { type: 'text' } };
  await platform.admin.call('PUT', `/v2/datasets/${DATASET}`, { kind: 'Dataset', id: DATASET, spec: { fields } });

  const streamed = await importOf((mib * 2 ** 20) / STREAMED_ROW_BYTES, { rowBytes: STREAMED_ROW_BYTES, dry: true });
  console.log(
    `${mib} MiB streamed: ${streamed.uploadMiBPerSecond} MiB/s, then ${streamed.rowsPerSecond} rows/s validated; ` +
      `the API grew from ${streamed.apiMiB.before} to ${streamed.apiMiB.most} MiB (bar +${BARS.extraMiB}), ` +
      `the worker from ${streamed.workerMiB.before} to ${streamed.workerMiB.most} MiB`,
  );
  const written = await importOf(rows, { rowBytes: 120, dry: false });
  console.log(
    `${rows} rows written: ${written.rowsPerSecond} rows/s (bar ${BARS.rowsPerSecond}); ` +
      `the API holds ${written.apiMiB.most} MiB at most, the worker ${written.workerMiB.most} MiB`,
  );
  await writeResult('import', { mib, rows, streamed, written, bars: BARS });
} finally {
  await platform.stop();
  await stopTestStack();
}
process.exit();

async function importOf(count: number, { rowBytes, dry }: { rowBytes: number; dry: boolean }) {
  const { api, worker } = platform.processes;
  const memories = { api: watchHighest(api), worker: watchHighest(worker) };
  // Tokens do not last as long as some imports.
  const { headers: own } = await platform.login('admin');
  const began = performance.now();
  const reply = await fetch(`${platform.baseUrl}/v2/${DATASET}/imports?dry_run=${dry}`, {
    method: 'POST',
    headers: { authorization: own.authorization, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(lines(count, rowBytes))),
    duplex: 'half',
  });
  if (reply.status !== 202) throw new Error(`${reply.status}: ${await reply.text()}`);
  const uploadSeconds = (performance.now() - began) / 1_000;
  const { id } = (await reply.json()) as Import;
  const { status, started_at, ended_at = '' } = await ended(id);
  const seconds = (Date.parse(ended_at) - Date.parse(started_at)) / 1_000;
  if (status.state !== 'succeeded' || status.created !== count) throw new Error(JSON.stringify(status));
  return {
    rows: count,
    mib: Math.round((count * rowBytes) / 2 ** 20),
    uploadMiBPerSecond: Math.round((count * rowBytes) / 2 ** 20 / uploadSeconds),
    seconds,
    rowsPerSecond: Math.round(count / seconds),
    apiMiB: memories.api.stop(),
    workerMiB: memories.worker.stop(),
  };
}

async function ended(id: string): Promise<Import> {
  for (let admin = platform.admin, polls = 0; ; polls += 1) {
    if (polls % 60 === 59) admin = await platform.login('admin');
    const { body } = await admin.call<Import>('GET', `/v2/${DATASET}/imports/${id}`);
    if (body.ended_at !== undefined) return body;
    await sleep(1_000);
  }
}

/** Rows of this length, some hundreds at a time. */
function* lines(count: number, rowBytes: number): Generator<Buffer> {
  for (let from = 0; from < count; from += 500) {
    const part = Array.from({ length: Math.min(500, count - from) }, (_, n) => {
      const head = `{"id":"${1 + from + n}","name":"Row ${from + n}","note":"`;
      return `${head}${'x'.repeat(Math.max(0, rowBytes - head.length - 3))}"}\n`;
    });
    yield Buffer.from(part.join(''));
  }
}
