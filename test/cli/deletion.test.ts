import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { begin } from './begin.js';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();

const connection = (id: string) => `
kind: Connection
id: ${id}
spec: { type: git, uri: https://example.org/${id}.git }
`;
const deployment = (id: string) => `
kind: ModelDeployment
id: ${id}
spec: { predictor: platform-ml-server, image: example.org/x:1 }
`;
async function apply(...documents: string[]): Promise<string> {
  const file = await slipway.file(documents.join('---'));
  expect((await slipway.run(['apply', '-f', file])).exitCode).toBe(0);
  return file;
}
const run = (...args: string[]) => slipway.run(args);
const exists = async (id: string) => (await api.deployments.get(id)) !== undefined;

test('a deployment is reported as deleted once it is gone', async () => {
  await apply(deployment('slow'));
  const deleting = begin(slipway, ['delete', 'deployment', 'slow']);
  while ((await api.deployments.get('slow'))?.status.state !== 'Deleting') await sleep(5);
  await api.deployments.remove('slow');
  expect(await deleting.ended).toEqual({ exitCode: 0, out: 'deployment/slow deleted\n', err: '' });
});

test('--no-wait leaves the replicas to the server', async () => {
  await apply(deployment('unwatched'));
  expect((await run('delete', 'deployment/unwatched', '--no-wait')).out).toBe('deployment/unwatched deleted\n');
  expect((await api.deployments.get('unwatched'))?.status.state).toBe('Deleting');
});

test('Ctrl-C while the replicas stop ends with 130, and the deletion goes on', async () => {
  await apply(deployment('left'));
  const stop = new AbortController();
  const deleting = begin(slipway, ['delete', 'deployment', 'left', '--verbose'], stop.signal);
  await deleting.until(`GET ${api.url}/api/v1/model/deployment/left 200`);
  stop.abort();
  expect(await deleting.ended).toMatchObject({ exitCode: 130, out: '' });
  expect((await api.deployments.get('left'))?.status.state).toBe('Deleting');
});

test('a dry run names what is there, and deletes nothing', async () => {
  await apply(deployment('kept'));
  expect((await run('delete', 'deployment', 'kept', '--dry-run')).out).toBe('deployment/kept deleted (dry run)\n');
  expect((await api.deployments.get('kept'))?.status.state).not.toBe('Deleting');
  const absent = await run('delete', 'deployment', 'absent', '--dry-run');
  expect([absent.exitCode, absent.out]).toEqual([4, '']);
  expect((await run('delete', 'deployment', 'absent', '--dry-run', '--ignore-not-found')).exitCode).toBe(0);
  expect(await exists('kept')).toBe(true);
});

test('what is used stays, and the rest goes; the exit code is that of the last one that stayed', async () => {
  await apply(connection('used'), connection('unused'));
  const training = `
kind: ModelTraining
id: user
spec: { model: { name: x, version: "1" }, toolchain: ml-toolchain, algorithmSource: { vcs: { connection: used } } }
`;
  await apply(training);
  const ended = await run('delete', 'connection', 'used', 'absent', 'unused');
  expect([ended.exitCode, ended.out]).toEqual([4, 'connection/unused deleted\n']);
  expect(ended.err.split('\n').slice(0, 2)).toEqual([
    expect.stringContaining('connection/used was not deleted'),
    expect.stringContaining('connection/absent was not deleted'),
  ]);
  expect((await run('delete', 'connection', 'absent', 'used')).exitCode).toBe(5);
  expect(await api.connections.get('used')).toBeDefined();
});

test('the kind of each name may differ, and a manifest goes in the reverse order of dependency', async () => {
  const file = await apply(connection('order'), deployment('order'));
  const deleting = run('delete', '-f', file, '--no-wait');
  expect((await deleting).out).toBe('deployment/order deleted\nconnection/order deleted\n');
  await apply(connection('one'), connection('two'));
  expect((await run('delete', 'conn/one', 'Connection/two')).out).toBe(
    'connection/one deleted\nconnection/two deleted\n',
  );
});

test.each([
  [['delete'], 'name what you mean'],
  [['delete', 'connection'], 'connection <id>'],
  [['delete', 'wine'], 'unknown kind "wine"'],
  [['delete', 'run', 'wine-1'], 'slipway pipeline cancel'],
  [['delete', 'connection/'], '"connection/"'],
  [['delete', 'connection/a', 'b'], '"b"'],
  [['delete', '-f', 'absent.yaml'], 'absent.yaml'],
  [['delete', 'connection', 'a', '-f', 'absent.yaml'], 'use names or -f'],
])('%j is refused with 2 before anything is deleted', async (args, reason) => {
  const before = await api.connections.list();
  const { exitCode, out, err } = await run(...args);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err).toContain(reason);
  expect(await api.connections.list()).toEqual(before);
});

test('a role that may not delete is refused for each, and nothing is deleted', async () => {
  await apply(connection('first'), connection('second'));
  const env = { SLIPWAY_TOKEN: await api.token(['viewer']) };
  const { exitCode, err } = await slipway.run(['delete', 'connection', 'first', 'second'], { env });
  expect(exitCode).toBe(3);
  expect(err.match(/was not deleted/g)).toHaveLength(2);
  expect((await api.connections.list()).map(({ id }) => id)).toEqual(expect.arrayContaining(['first', 'second']));
});

test('the audit shows changes as data, the newest first, at most so many, and those of one entity', async () => {
  await apply(connection('audited'));
  await run('delete', 'connection', 'audited');
  const all = JSON.parse((await run('audit', '-o', 'json', '--limit', '2')).out);
  expect(all).toMatchObject([
    { action: 'delete', kind: 'Connection', entityId: 'audited' },
    { action: 'create', kind: 'Connection', entityId: 'audited' },
  ]);
  expect(JSON.parse((await run('audit', 'connection/audited', '-o', 'json')).out)).toHaveLength(2);
  expect(await run('audit', 'connection', 'unheard-of')).toEqual({ exitCode: 0, out: '', err: '' });
  const scientist = { SLIPWAY_TOKEN: await api.token(['data_scientist']) };
  expect((await slipway.run(['audit'], { env: scientist })).exitCode).toBe(3);
});

test.each(['many', '-1', '1.5'])('an audit of at most %s changes is refused with 2', async (limit) => {
  expect(await run('audit', '--limit', limit)).toMatchObject({ exitCode: 2, out: '' });
});
