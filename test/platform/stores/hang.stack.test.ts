import { randomUUID } from 'node:crypto';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { until } from '../../e2e/until.js';
import { type OwnStack, startOwnStack } from '../../stack/own-stack.js';

const LIMIT_MS = 10_000;

let stack: OwnStack;
let api: TestReference;
beforeAll(async () => {
  stack = await startOwnStack({ only: ['mongodb'] });
  api = await startTestReference({ database: await connectDatabase(stack.settings.MONGODB_URI ?? '', 'hang') });
  const spec = { fields: { note: { type: 'text' } }, allow_blind_put: true };
  await api.call('PUT', '/v2/datasets/words', { body: { kind: 'Dataset', id: 'words', spec } });
  await api.call('PUT', '/v2/words/1', { body: { note: 'before' } });
});
afterAll(async () => {
  await api.stop();
  await stack.stop();
});

const put = (id: number, note: string) => api.call('PUT', `/v2/words/${id}`, { body: { note } });

/** A call and its time; a call that is not answered in time counts as status 0. */
async function timed(call: Promise<{ status: number; headers: Headers }>) {
  const [began, late] = [performance.now(), new AbortController()];
  const { status, headers } = await Promise.race([
    call,
    sleep(30_000, { status: 0, headers: new Headers() }, { signal: late.signal }),
  ]);
  late.abort();
  return { status, retryAfter: headers.get('retry-after'), isInTime: performance.now() - began < LIMIT_MS };
}

test('a database that hangs: every call is answered within 10 s, also one under way, and reads of rows go on', async () => {
  // Under way when it stops: rows behind rows, and calls that keep their reply.
  const load = new AbortController();
  const statuses: Awaited<ReturnType<typeof timed>>[] = [];
  const writers = Array.from({ length: 8 }, async (_, n) => {
    while (!load.signal.aborted) statuses.push(await timed(put(n + 10, randomUUID())));
  });
  await until('some writes', async () => statuses.length > 20, { pollMs: 5 });
  await stack.signal('mongodb', 'SIGSTOP');
  const key = { 'idempotency-key': randomUUID() };
  const calls = [
    timed(put(2, 'during')),
    timed(api.call('POST', '/v2/words', { body: { note: 'new' }, headers: key })),
    timed(api.call('GET', '/v2/subscriptions')),
    timed(api.call('GET', '/v2/words/1/history')),
  ];
  expect((await api.call('GET', '/v2/words/1')).body.note).toBe('before');
  await Promise.all(calls);
  load.abort();
  await Promise.all(writers);
  const later = timed(put(3, 'later'));
  const answers = [...(await Promise.all(calls)), await later];
  await stack.signal('mongodb', 'SIGCONT');

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
  for (const { status, retryAfter, isInTime } of [...answers, ...statuses]) {
    expect(isInTime).toBe(true);
    if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0);
    else expect([200, 201]).toContain(status);
  }
  await until('a write', async () => (await put(4, 'after')).status === 201);
  expect((await put(2, 'during')).status).toBeLessThan(300);
});

test('an answer that takes longer than the database may be silent is waited for', async () => {
  // Holds back what is answered to a command on `Slow`; the driver's questions whether the server lives pass.
  const { hostname, port } = new URL(stack.settings.MONGODB_URI ?? '');
  let held = 0;
  const server = createServer((asking) => {
    const answering = connect({ host: hostname, port: Number(port) });
    let waitMs = 0;
    asking.on('data', (chunk) => {
      waitMs = chunk.includes('Slow') ? 6_000 : 0;
      answering.write(chunk);
    });
    answering.on('data', (chunk) => {
      if (waitMs > 0) held += 1;
      setTimeout(() => asking.write(chunk), waitMs);
    });
    asking.on('error', () => answering.destroy()).on('close', () => answering.destroy());
    answering.on('error', () => asking.destroy()).on('close', () => asking.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const database = await connectDatabase(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}`, 'slow');
  const began = performance.now();
  const rows = [];
  for await (const row of database.table('Slow').scan()) rows.push(row);
  expect([rows, held]).toEqual([[], 1]);
  expect(performance.now() - began).toBeGreaterThan(6_000);
  await database.close();
  await new Promise((done) => server.close(done));
});
