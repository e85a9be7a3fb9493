import { expect, test } from 'vitest';
import { cellsOf, startNotifications } from './notification-story.js';

const { api, slipway, subscribe } = await startNotifications();
const run = (...args: string[]) => slipway.run(['subscription', ...args]);

test('without subscriptions the list says how to create one', async () => {
  expect(await run('list')).toEqual({
    exitCode: 0,
    out: '',
    err: 'there are no subscriptions: create one with "slipway apply" (see "slipway explain subscription")\n',
  });
  expect((await run('list', '-o', 'json')).out).toBe('[]\n');
});

test('a list shows state, level and counts, and the trouble of an active subscription', async () => {
  const id = await subscribe('orders');
  await api.subscriptions.update(id, (each) => ({
    ...each,
    status: { ...each.status, failing: { since: '2026-02-11T00:00:00.000Z', reason: 'status 500' } },
  }));
  expect(cellsOf((await run('list')).out)).toEqual([
    ['ID', 'NAME', 'STATE', 'LEVEL', 'PENDING', 'HELD', 'FAILED', 'TO', 'AGE'],
    [id, 'orders', 'active (failing)', 'L0', '0', '0', '0', 'https://orders.example/', expect.any(String)],
  ]);
  expect((await run('list', '-o', 'name')).out).toBe(`${id}\n`);
  expect(JSON.parse((await run('list', '-o', 'json')).out)).toMatchObject([{ id, name: 'orders' }]);
  const { out } = await run('describe', id);
  expect(out).toMatch(/ {2}trouble +status 500 \(since 2026-02-1\d \d\d:\d\d:\d\d\)\n/);
});

test('one subscription is described with its guarantee, and as data', async () => {
  const id = await subscribe('stock');
  const { exitCode, out } = await run('describe', id);
  expect(exitCode).toBe(0);
  expect(out).toContain(`subscription stock\n  id             ${id}\n  state          active\n`);
  expect(out).toMatch(/ {2}guarantee +Each acknowledged change that matches/);
  expect(out).not.toContain('trouble');
  expect(JSON.parse((await run('describe', id, '-o', 'json')).out)).toMatchObject({ id, name: 'stock' });
  expect((await run('describe', id, '-o', 'yaml')).out).toMatch(/^id: sub_/);
});

test('a description names the command that helps', async () => {
  const id = await subscribe('parts');
  const inState = async (state: 'unverified' | 'disabled') => {
    await api.subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state, reason: 'because' } }));
    return (await run('describe', id)).err;
  };
  expect(await inState('unverified')).toContain(`"slipway subscription probe ${id}" asks it again`);
  expect(await inState('disabled')).toContain(`"slipway subscription resume ${id}" sends what was kept`);
});

test('a subscription is paused, resumed and probed', async () => {
  const id = await subscribe('bills');
  expect((await run('pause', id)).out).toBe(`subscription ${id} paused: it is paused, level L0\n`);
  expect((await run('describe', id)).err).toContain('nothing is sent: ');
  expect((await run('resume', id)).out).toBe(`subscription ${id} resumed: it is active, level L0\n`);
  api.receiver.report = { answered: true, level: 'L1', receipts: 'none', steps: [] };
  expect((await run('probe', id)).out).toBe(`subscription ${id} probed: it is active, level L1\n`);
});

test('a receiver that does not take the probe is an error with what it answered', async () => {
  const id = await subscribe('silent');
  const step = { sent: 'probe', expected: '2xx', received: 'status 401', ok: false };
  api.receiver.report = { answered: false, level: 'L0', receipts: 'none', steps: [step] };
  const { exitCode, err } = await run('probe', id);
  expect(exitCode).toBe(2);
  expect(err).toContain('the receiver did not take a probe: ');
});

test('failed deliveries are recovered by one order, whose progress is listed', async () => {
  const id = await subscribe('items', { count: 3, failed: [1, 3] });
  const { exitCode, out, err } = await run('recover', id, '--type', 'dataset.positions.*', '--dry-run');
  expect([exitCode, out]).toEqual([0, `recovery rec_1 of subscription ${id} queued (dry run)\n`]);
  expect(err).toBe(`"slipway subscription recoveries ${id}" shows its progress\n`);
  expect((await api.recoveries.read(id, 1))?.spec).toMatchObject({ types: ['dataset.positions.*'], dry_run: true });
  await run('recover', id, '--from', '2026-02-01T00:00:00Z');
  await api.recoveries.end(id, 1, { examined: 3, matched: 2, reopened: 0, at: '2026-02-11T00:00:00.000Z' });
  const rows = cellsOf((await run('recoveries', id)).out).map((row) => row.slice(0, 6));
  expect(rows).toEqual([
    ['ID', 'KIND', 'STATE', 'EXAMINED', 'MATCHED', 'SENT AGAIN'],
    ['rec_2', 'recover', 'queued', '0', '0', '0'],
    ['rec_1', 'recover (dry run)', 'done', '3', '2', '0'],
  ]);
  expect((await run('recoveries', id, '-o', 'name')).out).toBe('rec_2\nrec_1\n');
});

test('an unknown subscription and a disabled one name the next step', async () => {
  const unknown = await run('describe', 'sub_nope');
  expect([unknown.exitCode, unknown.out]).toEqual([4, '']);
  expect(unknown.err).toContain('there is no such subscription (status 404, request ');
  expect(unknown.err).toContain('"slipway subscription list" shows those that exist');
  const id = await subscribe('closed', { count: 1, failed: [1] });
  await api.subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'disabled' } }));
  const refused = await run('recover', id);
  expect(refused.exitCode).toBe(5);
  expect(refused.err).toContain('then "slipway subscription resume <id>"');
});
