import { afterAll, beforeAll, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { openReceiver } from '../activities/notifications/notification-scene.js';
import { logTimes } from './log-times.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { until } from './until.js';

const PERIOD_MS = 10_000;
const QUIET = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'];
const BUSY = '9007199254740993';

let platform: TestPlatform;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  receiver = await openReceiver();
  const fields = { note: { type: 'text' } };
  await platform.admin.call('PUT', '/v2/datasets/positions', {
    kind: 'Dataset',
    id: 'positions',
    spec: { fields, allow_blind_put: true },
  });
}, 600_000);
afterAll(async () => {
  await receiver.close();
  await platform.stop();
});

const write = (id: string, note: string) => platform.admin.call('PUT', `/v2/positions/${id}`, { note });

const received = (type: string) =>
  receiver.received
    .map(({ body }) => JSON.parse(body))
    .filter((event) => event.type === type)
    .map((event) => event.data);

test('each gap is emitted once though the worker is killed over the deadline, and rows that go on changing have none', async () => {
  for (const id of QUIET) await write(id, 'quiet');
  await write(BUSY, 'first');
  await platform.admin.call('POST', '/v2/subscriptions', { name: 'quiet', url: receiver.url, types: ['watch.*'] });
  const created = await platform.admin.call<{ id: string; created_at: string }>('POST', '/v2/watches', {
    name: 'gone quiet',
    scope: { dataset: 'positions' },
    period: `PT${PERIOD_MS / 1_000}S`,
    arm_at: 'creation',
    recovery_notice: true,
  });
  const createdAt = Date.parse(created.body.created_at);
  const path = `/v2/watches/${created.body.id}`;
  const gapOf = (entity: string, version: number): string => `${created.body.id}/${entity}/${version}`;
  await until('it to be armed', async () => {
    const { body } = await platform.admin.call<{ evaluation: { armed: number } | null }>('GET', path);
    return body.evaluation?.armed === QUIET.length + 1;
  });
  const kill = { at: createdAt + PERIOD_MS / 2, done: false };
  await until('the notices', async () => {
    if (!kill.done && Date.now() >= kill.at) {
      platform.signal('worker', 'SIGKILL');
      kill.done = true;
    }
    await write(BUSY, String(Date.now()));
    await sleep(300);
    return new Set(received('watch.absent').map(({ entity_id }) => entity_id)).size >= QUIET.length;
  });
  expect(kill.done).toBe(true);
  await write(BUSY, 'last');
  await write('1', 'again');
  const resumed = await until('the end of a gap', async () =>
    received('watch.resumed').find(({ entity_id }) => entity_id === '1'),
  );
  expect(resumed).toMatchObject({ gap_version: 1 });

  // A machine may be so slow that its own writes come too late: the log decides what was a gap. What was written before the
  // watch is waited for from its creation on.
  const times = [createdAt, ...(await logTimes(platform, 'positions', BUSY)).slice(1)];
  const late = times.flatMap((time, index) => {
    const next = times[index + 1];
    return next !== undefined && next - time > PERIOD_MS ? [gapOf(BUSY, index + 1)] : [];
  });
  const open = gapOf(BUSY, times.length); // it may have come due meanwhile
  const gapsReceived = () => received('watch.absent').map(({ gap_id }) => gap_id as string);
  await until('the late ones', async () => late.every((gap) => gapsReceived().includes(gap)));
  const expected = [...QUIET.map((id) => gapOf(id, 1)), ...late].sort();
  expect(
    gapsReceived()
      .filter((gap) => gap !== open)
      .sort(),
  ).toEqual(expected);
  const { body } = await platform.admin.call<{ items: { gap_id: string }[] }>('GET', `${path}/gaps?page_size=100`);
  expect(body.items.map(({ gap_id }) => gap_id)).toEqual(expect.arrayContaining(expected));
}, 600_000);
