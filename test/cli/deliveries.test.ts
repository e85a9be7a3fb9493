import { expect, test } from 'vitest';
import { cellsOf, EXACT, startNotifications } from './notification-story.js';

const { api, slipway, subscribe } = await startNotifications();
const failed = Array.from({ length: 130 }, (_, n) => n + 1);
const first = await subscribe('orders', { count: 131, failed });
const second = await subscribe('stock', { count: 3, failed: [2] });
const names = [...failed.toReversed().map((sequence) => `${first}/${sequence}`), ...[`${second}/2`]].sort(
  (one, other) => (one.split('/')[0] ?? '').localeCompare(other.split('/')[0] ?? ''),
);
const run = (...args: string[]) => slipway.run(['delivery', ...args]);

test('the failed deliveries of all subscriptions are listed, over as many pages as the limit needs', async () => {
  const { exitCode, out, err } = await run('list', '--limit', '1000', '-o', 'name');
  expect([exitCode, err]).toEqual([0, '']);
  expect(out.trimEnd().split('\n')).toEqual(names);
});

test('a list that ends at its limit says so', async () => {
  const { exitCode, out, err } = await run('list', '--limit', '5', '-o', 'name');
  expect([exitCode, out.trimEnd().split('\n')]).toEqual([0, names.slice(0, 5)]);
  expect(err).toBe('the list ends at 5: use a higher --limit, or a filter, for those after it\n');
});

test('a row shows the state, its cause and what the delivery is about', async () => {
  const { out } = await run('list', '--subscription', second);
  expect(cellsOf(out)).toEqual([
    ['DELIVERY', 'STATE', 'BY', 'TYPE', 'ABOUT', 'ATTEMPTS', 'LAST', 'AGE'],
    [`${second}/2`, 'failed', 'exhausted', 'dataset.positions.updated', 'positions/2', '0', '-', expect.any(String)],
  ]);
});

test('deliveries of one subscription are listed in any state, and filtered by the server', async () => {
  const pending = await run('list', '--subscription', second, '--state', 'pending', '-o', 'json');
  expect(JSON.parse(pending.out)).toMatchObject([
    { subscription: second, sequence: '3', state: 'pending' },
    { subscription: second, sequence: '1', state: 'pending' },
  ]);
  expect((await run('list', '--subject', '2', '--subscription', second, '-o', 'yaml')).out).toMatch(
    /^- sequence: "2"\n/,
  );
  expect((await run('list', '--subject', 'positions/7', '-o', 'name')).out).toBe(`${first}/7\n`);
  expect(await run('list', '--subscription', second, '--state', 'held')).toEqual({
    exitCode: 0,
    out: '',
    err: 'no delivery is held\n',
  });
});

test('one delivery is described with its timeline and the command that sends it again', async () => {
  const { exitCode, out, err } = await run('describe', `${second}/2`);
  expect(exitCode).toBe(0);
  expect(out).toContain(`delivery ${second}/2\n  state        failed (exhausted)\n`);
  expect(out).toMatch(/Timeline:\n {2}\S+ \S+ {3}minted\n {2}\S+ \S+ {3}settled {3}state=failed by=exhausted\n/);
  expect(err).toBe(`"slipway delivery resend ${second}/2" sends it again\n`);
});

test('one delivery is there as data, with the integers of its event as they were sent', async () => {
  const entry = await api.outbox.find(second, 3);
  expect(entry?.event.body).toBe(EXACT);
  const { exitCode, out } = await run('describe', `${second}/3`, '-o', 'json');
  expect([exitCode, JSON.parse(out)]).toMatchObject([0, { sequence: '3', state: 'pending' }]);
  expect(out).toContain(`"event":${EXACT}`);
});

test('failed deliveries are sent again; a refused one keeps none of the others back', async () => {
  const [one, absent, two] = [`${first}/1`, `${first}/999`, `${first}/2`];
  const { exitCode, out, err } = await run('resend', one, absent, two);
  expect([exitCode, out]).toEqual([4, `delivery ${one} is sent again\ndelivery ${two} is sent again\n`]);
  expect(err).toContain(
    `Error: delivery ${absent}: the subscription has no delivery 999: list its deliveries (status 404`,
  );
  for (const sequence of [1, 2]) {
    expect((await api.ledger.read({ subscription: first, sequence })).reopenings).toHaveLength(1);
  }
  const again = await run('resend', one);
  expect([again.exitCode, again.out]).toEqual([5, '']);
  expect(again.err).toContain('the delivery is pending and goes on by itself (status 409');
});

test('a delivery that is not settled is canceled, and only a held one confirmed', async () => {
  const name = `${second}/1`;
  expect((await run('confirm', name)).exitCode).toBe(5);
  expect(await run('cancel', name)).toMatchObject({ exitCode: 0, out: `delivery ${name} cancelled\n` });
});

test.each<[string[], number, string]>([
  [['list', '--state', 'held'], 2, '--state held needs --subscription <id>'],
  [['list', '--state', 'lost'], 2, "'lost' is invalid"],
  [['list', '--limit', '0'], 2, 'use a number from 1 to 999999.'],
  [['list', '--from', 'yesterday'], 2, 'from takes a time such as 2026-01-31T00:00:00Z'],
  [['resend', '42'], 2, '"42" is not a delivery: use <subscription>/<sequence>'],
  [['resend', 'sub_1/x'], 2, '"sub_1/x" is not a delivery'],
  [['list', '--subscription', 'sub_nope'], 4, '"slipway subscription list" shows those that exist'],
])('%j ends with %i and says %s', async (args, exitCode, text) => {
  const ended = await run(...args);
  expect([ended.exitCode, ended.out]).toEqual([exitCode, '']);
  expect(ended.err).toContain(text);
});

test('a credential without the scope names it, and the next step', async () => {
  const env = { SLIPWAY_TOKEN: await api.tokenOf(['subscriptions:read']) };
  const { exitCode, err } = await slipway.run(['delivery', 'resend', `${first}/3`], { env });
  expect(exitCode).toBe(3);
  expect(err).toContain('the scope subscriptions:write is missing');
  expect(err).toContain('"slipway whoami" shows them');
});

test('subscriptions, and deliveries that failed, complete a command line', async () => {
  const words = async (...args: string[]) => {
    const { out } = await slipway.run(['__complete', '--', ...args]);
    return out.trimEnd().split('\n');
  };
  expect((await words('delivery', 'list', '--subscription', '')).toSorted()).toEqual([first, second].toSorted());
  expect((await words('subscription', 'describe', '')).toSorted()).toEqual([first, second].toSorted());
  expect(await words('delivery', 'resend', `${second}/2`, '')).toContain(names[3]);
  expect(await words('delivery', 'list', '--state', '')).toContain('held');
  expect(await words('delivery', 'list', '-o', '')).toEqual(['table', 'name', 'json', 'yaml']);
});
