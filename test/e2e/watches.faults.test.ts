import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver } from '../activities/notifications/notification-scene.js';
import { killService, startService } from '../stack/test-stack.js';
import { logTimes } from './log-times.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { until } from './until.js';

const PERIOD_MS = 15_000;
const QUIET = ['1', '2', '3', '4', '5'];
const BUSY = '9007199254740993';

let platform: TestPlatform;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  receiver = await openReceiver();
}, 600_000);
afterAll(async () => {
  await receiver.close();
  await platform.stop();
});

interface Health {
  watches: { state: string };
}
const write = async (id: string, note: string): Promise<true> => {
  await platform.admin.call('PUT', `/v2/quiet/${id}`, { note });
  return true;
};
const absent = (): string[] =>
  receiver.received
    .map(({ body }) => JSON.parse(body))
    .flatMap(({ type, data }) => (type === 'watch.absent' ? [data.gap_id] : []));

test('while the database is away over deadlines no gap is emitted; afterwards each gap once, though workers are killed', async () => {
  const spec = { fields: { note: { type: 'text' } }, allow_blind_put: true };
  await platform.admin.call('PUT', '/v2/datasets/quiet', { kind: 'Dataset', id: 'quiet', spec });
  await platform.admin.call('POST', '/v2/subscriptions', { name: 'quiet', url: receiver.url, types: ['watch.*'] });
  for (const id of QUIET) await write(id, 'quiet');
  await write(BUSY, '0');
  const made = await platform.admin.call<{ id: string; created_at: string }>('POST', '/v2/watches', {
    ...{ name: 'gone quiet', scope: { dataset: 'quiet' }, arm_at: 'creation', period: `PT${PERIOD_MS / 1_000}S` },
  });
  const path = `/v2/watches/${made.body.id}`;
  const gapOf = (id: string, version: number): string => `${made.body.id}/${id}/${version}`;
  await until('it to be armed', async () => {
    const { body } = await platform.admin.call<{ evaluation: { armed: number } | null }>('GET', path);
    return body.evaluation?.armed === QUIET.length + 1;
  });
  await write(BUSY, '1');

  await killService('mongodb');
  platform.signal('worker', 'SIGKILL');
  await until('it to be unknown', async () => {
    const { body } = await platform.admin.call<Health>('GET', '/v2/health');
    return body.watches.state === 'unknown';
  });
  const before = absent(); // what was on its way has come
  const downUntil = Date.now() + PERIOD_MS + 3_000; // beyond every deadline
  await until('the deadlines to pass', async () => Date.now() > downUntil);
  expect(absent()).toEqual(before);

  await startService('mongodb');
  // Without a database it ended by itself again and again: one that has come up is killed.
  await until('a worker to kill', async () => {
    try {
      platform.signal('worker', 'SIGKILL');
      return true;
    } catch {
      return false;
    }
  });
  await until('a write', () => write(BUSY, '2').catch(() => false as const));
  await until('the notices', async () => QUIET.every((id) => absent().includes(gapOf(id, 1))));
  await write(BUSY, '3');
  await until('it to be well again', async () => {
    const { body } = await platform.admin.call<Health>('GET', '/v2/health');
    return body.watches.state === 'ready';
  });

  // The log decides what was a gap: of the one that was written, those between two writes; the first begins with the watch.
  const times = [Date.parse(made.body.created_at), ...(await logTimes(platform, 'quiet', BUSY)).slice(1)];
  const ofBusy = times.flatMap((time, index) => {
    const next = times[index + 1];
    return next !== undefined && next - time > PERIOD_MS ? [gapOf(BUSY, index + 1)] : [];
  });
  const open = gapOf(BUSY, times.length); // it may have come due meanwhile
  const expected = [...QUIET.map((id) => gapOf(id, 1)), ...ofBusy].sort();
  await until('the gaps of the one that was written', async () => ofBusy.every((gap) => absent().includes(gap)));
  expect(
    absent()
      .filter((gap) => gap !== open)
      .sort(),
  ).toEqual(expected);
}, 600_000);
