import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { writeResult } from '../report.js';
import { startProgram } from '../start-program.js';

const PACE = { perSecond: 50, seconds: 20 };
const BULK = 10_000;
const BARS = { p50Ms: 100, p99Ms: 500, perSecond: 400 };

interface Row {
  version: number;
  updated_at: string;
}
interface Deliveries {
  items: { notice_id: string; about: string }[];
  next_page_token?: string;
}
type Arrivals = [id: string, at: number][];

const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const environment = { ...process.env, SLIPWAY_WEBHOOK_PRIVATE: 'true' };
const platform = await startPlatform({ environment, report: (line) => console.error(line) });
const receiver = await startProgram(new URL('receiver.ts', import.meta.url));
const run = Date.now().toString(36);
try {
  const [{ url }] = (await once(receiver, 'message')) as [{ url: string }];
  const { settings } = platform;
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  const client = createClient({ baseUrl: settings.SLIPWAY_BASE_URL, token });

  const declare = async (dataset: string): Promise<void> => {
    const fields = { word: { type: 'text' } };
    await client.call('PUT', `/v2/datasets/${dataset}`, { kind: 'Dataset', id: dataset, spec: { fields } });
    const rate = { per_second: 1_000, concurrency: 32 };
    await client.call('POST', '/v2/subscriptions', { name: dataset, url, types: [`dataset.${dataset}.*`], rate });
  };
  const take = async (): Promise<Arrivals> => {
    receiver.send('take');
    return ((await once(receiver, 'message')) as [{ arrivals: Arrivals }])[0].arrivals;
  };
  const arrived = async (count: number): Promise<Arrivals> => {
    const all: Arrivals = [];
    for (const deadline = Date.now() + 300_000; all.length < count && Date.now() < deadline; await sleep(100)) {
      all.push(...(await take()));
    }
    return all;
  };

  // Latency: single writes at a steady pace; the first ones warm the subscription up. One entity each, so the notices
  // come in the order of the writes' own sequence numbers.
  const paced = `paced_${run}`;
  await declare(paced);
  await client.call('POST', `/v2/${paced}`, { word: 'warm' });
  await arrived(1);
  const commits: Promise<[subject: string, at: number]>[] = [];
  const began = Date.now();
  for (let n = 0; n < PACE.perSecond * PACE.seconds; n += 1) {
    await sleep(Math.max(0, began + (n * 1_000) / PACE.perSecond - Date.now()));
    const id = String(1_000_000 + n);
    const write = client.call<Row>('PUT', `/v2/${paced}/${id}`, { word: `w${n}` });
    commits.push(write.then(({ body }) => [id, Date.parse(body.updated_at)]));
  }
  const written = new Map(await Promise.all(commits));
  const seen = new Map(await arrived(written.size));
  const subscriptions = (await client.call<{ items: { id: string; name: string }[] }>('GET', '/v2/subscriptions')).body;
  const { id: subscription = '' } = subscriptions.items.find(({ name }) => name === paced) ?? {};
  const waits: number[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const page: string = `/v2/subscriptions/${subscription}/deliveries?page_size=100${token && `&page_token=${token}`}`;
    const { body }: { body: Deliveries } = await client.call<Deliveries>('GET', page);
    for (const { notice_id, about } of body.items) {
      const [commit, arrival] = [written.get(about.split('/')[1] ?? ''), seen.get(notice_id)];
      if (commit !== undefined && arrival !== undefined) waits.push(arrival - commit);
    }
    token = body.next_page_token;
  }
  waits.sort((one, other) => one - other);
  const at = (share: number): number => waits[Math.floor((waits.length - 1) * share)] ?? NaN;
  const latency = { notices: waits.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  console.log(
    `commit to arrival at ${PACE.perSecond}/s: p50 ${latency.p50Ms} ms, p99 ${latency.p99Ms} ms, max ${latency.maxMs} ms (${waits.length} notices; bars ${BARS.p50Ms} and ${BARS.p99Ms})`,
  );

  // Throughput: many changes are there already when the subscription is resumed.
  const bulk = `bulk_${run}`;
  await declare(bulk);
  const { body: list } = await client.call<{ items: { id: string; name: string }[] }>('GET', '/v2/subscriptions');
  const path = `/v2/subscriptions/${list.items.find(({ name }) => name === bulk)?.id ?? ''}`;
  await client.call('POST', `${path}/pause`);
  for (let from = 0; from < BULK; from += 500) {
    const items = Array.from({ length: 500 }, (_, n) => ({
      op: 'put',
      id: String(1 + from + n),
      entity: { word: 'w' },
    }));
    await client.call('POST', `/v2/${bulk}/batch`, items);
  }
  await client.call('POST', `${path}/resume`);
  const times = (await arrived(BULK)).map(([, time]) => time);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
  const perSecond = Math.round(times.length / seconds);
  console.log(`${times.length} notices that waited: ${perSecond} deliveries/s (bar ${BARS.perSecond})`);

  const ceiling = await storeCeiling(settings.MONGODB_URI);
  console.log(`the store takes ${ceiling.single} inserts/s one by one, ${ceiling.grouped} rows/s in groups of 50`);
  await writeResult('notifications', {
    latency,
    throughput: { notices: times.length, perSecond },
    ceiling,
    bars: BARS,
  });
} finally {
  receiver.kill();
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

/** Measures the database alone: a delivery is two rows, intent and outcome, beside its share of a block. */
async function storeCeiling(uri: string): Promise<{ single: number; grouped: number }> {
  const database = await connectDatabase(uri, `bench_${run}`);
  const table = database.table<{ _id: string; fact: string }>('facts');
  const rowsIn = async (label: string, size: number): Promise<number> => {
    const start = performance.now();
    let rows = 0;
    for (; performance.now() - start < 3_000; rows += size) {
      const from = rows;
      await table.insertAll(
        Array.from({ length: size }, (_, n) => ({ _id: `${label}${from + n}`, fact: 'x'.repeat(150) })),
      );
    }
    return Math.round(rows / ((performance.now() - start) / 1_000));
  };
  const found = { single: await rowsIn('s', 1), grouped: await rowsIn('g', 50) };
  await database.close();
  return found;
}
