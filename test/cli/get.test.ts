import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
beforeAll(async () => {
  await api.call('POST', '/api/v1/connection', {
    body: { id: 'code', spec: { type: 'git', uri: 'https://example.org/x.git', description: 'where the code is' } },
  });
  for (const id of ['iris', 'wine']) {
    const spec = {
      model: { name: id, version: '1.0' },
      toolchain: 'ml-toolchain',
      algorithmSource: { vcs: { connection: 'code' } },
    };
    await api.call('POST', '/api/v1/model/training', { body: { id, spec } });
  }
  await api.trainings.update('wine', (training) => ({
    ...training,
    status: {
      ...training.status,
      state: 'succeeded',
      artifactName: 'wine-1.0.zip',
      artifacts: [{ runId: 'r', artifactName: 'wine-1.0.zip', commitID: 'c'.repeat(40) }],
      metrics: { rmse: 0.518572849 },
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:01:20.000Z',
    },
  }));
});

const out = async (...args: string[]): Promise<string> => (await slipway.run(args)).out;
/** Cells of a table, without the padding. */
const table = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('a table has a row for each, and a wide one says more', async () => {
  expect(table(await out('get', 'trainings'))).toEqual([
    ['ID', 'STATE', 'MODEL', 'METRICS', 'TOOK', 'AGE'],
    ['iris', 'unknown', 'iris:1.0', '-', '-', expect.stringMatching(/^[\d.]+(m?s|m[\d.]+s)$/)],
    ['wine', 'succeeded', 'wine:1.0', 'rmse=0.5186', '1m20s', expect.any(String)],
  ]);
  const [headers = []] = table(await out('get', 'tr', '-o', 'wide'));
  expect(headers).toEqual(expect.arrayContaining(['REASON', 'TOOLCHAIN', 'ARTIFACT', 'GENERATION', 'BY']));
});

test('what manifests describe is shown as the server has it, in the order of dependency', async () => {
  const { out: manifests } = await slipway.run(['get', 'trainings', '-o', 'yaml']);
  const { out: connection } = await slipway.run(['get', 'connection', 'code', '-o', 'yaml']);
  const file = await slipway.file(`${manifests}---\n${connection}`);
  const shown = (await slipway.run(['get', '-f', file])).out;
  expect(shown.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual(['ID', 'code', '', 'ID', 'iris', 'wine', '']);
  expect(await out('get', '-f', file, '-o', 'name')).toBe('connection/code\ntraining/iris\ntraining/wine\n');
  expect(JSON.parse(await out('get', '-f', file, '-o', 'json'))).toHaveLength(3);
  expect((await slipway.run(['get', 'trainings', '-f', file])).exitCode).toBe(2);
  const absent = await slipway.file(
    'kind: Connection\nid: absent\nspec: { type: git, uri: https://example.org/x.git }\n',
  );
  expect((await slipway.run(['get', '-f', absent])).exitCode).toBe(4);
  expect((await slipway.run(['get'])).err).toContain('Kinds are connections, ');
});

test('every kind has a table', async () => {
  const kinds = ['conn', 'ti', 'pi', 'trainings', 'packagings', 'deployments', 'routes', 'pipelines', 'runs'];
  for (const kind of kinds) expect((await slipway.run(['get', kind, '-o', 'wide'])).exitCode).toBe(0);
});

test('kinds have short words, and any of them may stand before a slash', async () => {
  for (const words of [['training', 'wine'], ['tr/wine'], ['ModelTraining', 'wine'], ['trainings/wine']]) {
    expect(await out('get', ...words, '-o', 'name')).toBe('training/wine\n');
  }
});

test('data is a list for a kind, and the entity itself for one', async () => {
  expect(JSON.parse(await out('get', 'trainings', '-o', 'json'))).toHaveLength(2);
  expect(JSON.parse(await out('get', 'training', 'wine', '-o', 'json'))).toMatchObject({ id: 'wine' });
  expect(JSON.parse(await out('get', 'training', 'wine', 'iris', '-o', 'json'))).toHaveLength(2);
  expect((await out('get', 'trainings', '-o', 'yaml')).split('\n---\n')).toHaveLength(2);
});

test('a JSONPath picks values, in the forms of its standard, of kubectl and of older scripts', async () => {
  for (const path of [
    '$.status.artifactName',
    '{.status.artifactName}',
    '.status.artifactName',
    'status.artifactName',
  ]) {
    expect(await out('get', 'training', 'wine', '-o', `jsonpath=${path}`)).toBe('wine-1.0.zip\n');
  }
  expect(await out('get', 'training', 'wine', '-o', 'jsonpath=$[0].status.artifacts[0].artifactName')).toBe(
    'wine-1.0.zip\n',
  );
  expect(await out('get', 'trainings', '-o', 'jsonpath=$[*].id')).toBe('iris\nwine\n');
  expect(await out('get', 'trainings', '-o', "jsonpath=$[?@.status.state == 'succeeded'].status.metrics")).toBe(
    '{"rmse":0.518572849}\n',
  );
  expect(await out('get', 'training', 'wine', '-o', 'jsonpath=$.nothing')).toBe('');
});

test('a list is filtered by the server', async () => {
  expect(await out('get', 'trainings', '--state', 'succeeded', 'failed', '-o', 'name')).toBe('training/wine\n');
  expect(await out('get', 'trainings', '--filter', 'model_name=iris', '-o', 'name')).toBe('training/iris\n');
  expect(await slipway.run(['get', 'trainings', '--state', 'running'])).toEqual({
    exitCode: 0,
    out: '',
    err: 'there are no trainings that match\n',
  });
});

test('what is wrong is said in one sentence, with an exit code of its own', async () => {
  const cases: [string[], number, string][] = [
    [['get', 'trainigs'], 2, 'Error: unknown kind "trainigs": did you mean trainings?\n'],
    [['get', 'imports'], 2, '"imports" has a command of its own: see "slipway imports --help"'],
    [['describe', 'delivery', '42'], 2, '"delivery" has a command of its own: see "slipway delivery --help"'],
    [['get', 'deliveries'], 2, '"deliveries" has a command of its own: see "slipway delivery --help"'],
    [['get', 'xyz'], 2, 'unknown kind "xyz": kinds are connections, '],
    [['get'], 2, 'which kind? Kinds are connections, '],
    [['get', 'trainings', '-o', 'jsonpath=$['], 2, 'is no JSONPath'],
    [['get', 'trainings', '-o', 'csv'], 2, 'it is one of table, wide, name, json, yaml, jsonpath=<expression>.'],
    [['get', 'trainings', '--bogus'], 2, `Error: unknown option '--bogus'\nsee "slipway get --help"\n`],
    [['frobnicate'], 2, `Error: unknown command 'frobnicate'\nsee "slipway --help"\n`],
    [['get', 'training', 'nope'], 4, 'Error: entity "nope" is not found (status 404, request '],
    [['get', 'training', 'wine', '--server', 'localhost'], 2, '"localhost" is not the address of a server'],
    [['describe', 'nope'], 2, 'unknown kind "nope": kinds are '],
    [['describe', 'training'], 2, 'name what you mean: "training <id>" or "training/<id>"'],
    [['describe', 'training/'], 2, '"training/" has not the form <kind>/<id>'],
  ];
  for (const [args, exitCode, text] of cases) {
    const ended = await slipway.run(args);
    expect([args, ended.exitCode, ended.out]).toEqual([args, exitCode, '']);
    expect(ended.err).toContain(text);
    expect(ended.err).not.toMatch(/\n {4}at /);
  }
});

test('a token that is refused, and a role that may not, name the next step', async () => {
  const refused = await slipway.run(['get', 'trainings'], { env: { SLIPWAY_TOKEN: 'nonsense' } });
  expect(refused.exitCode).toBe(3);
  expect(refused.err).toContain('the token was refused; log in again with "slipway login"');
  const viewer = { SLIPWAY_TOKEN: await api.token(['viewer']) };
  const denied = await slipway.run(['delete', 'training', 'wine'], { env: viewer });
  expect(denied.exitCode).toBe(3);
  expect(denied.err).toContain('training/wine was not deleted: Forbidden (status 403, request ');
  expect(denied.err).toContain('"slipway whoami" shows them');
});

test('a server that does not answer and one that is no Slipway are different errors', async () => {
  const gone = await slipway.run(['get', 'trainings', '--server', 'http://127.0.0.1:9']);
  expect(gone.exitCode).toBe(6);
  expect(gone.err).toContain('http://127.0.0.1:9 cannot be reached: ');
  expect(gone.err).toContain('check the address (--server, SLIPWAY_SERVER) and whether the platform is up');
});

test('a description tells state, times and relatives', async () => {
  const text = await out('describe', 'training', 'wine');
  expect(text).toContain('training/wine\n  state');
  expect(text).toMatch(/ {2}took +1m20s/);
  expect(text).toMatch(/ {2}source +code cccccccccccc/);
  expect(text).toMatch(/States:\n {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {3}unknown/);
  const packaging = { artifactName: 'wine-1.0.zip', integrationName: 'container-rest' };
  await api.call('POST', '/api/v1/model/packaging', { body: { id: 'wine', spec: packaging } });
  expect(await out('describe', 'training', 'wine')).toMatch(/Packaged by:\n {2}packaging\/wine {3}unknown/);
  expect(await out('describe', 'packaging/wine')).toMatch(/Trained by:\n {2}training\/wine {3}succeeded/);
  expect(await out('describe', 'connection', 'code')).toMatch(
    /Used by:\n {2}training\/iris +unknown\n {2}training\/wine/,
  );
});

test('a watch shows what is there, then each change, until it is interrupted', async () => {
  const stop = new AbortController();
  let text = '';
  const watching = slipway.run(['get', 'training', 'iris', '--watch'], {
    signal: stop.signal,
    onText: (more) => void (text += more),
  });
  const until = async (what: string) => {
    for (const deadline = Date.now() + 120_000; !text.includes(what); await sleep(20)) {
      if (Date.now() > deadline) throw new Error(`"${what}" is not in ${text}`);
    }
  };
  await until('unknown');
  const change = (state: 'running' | 'unknown') =>
    api.trainings.update('iris', (each) => ({ ...each, status: { ...each.status, state } }));
  await change('running');
  await until('running');
  stop.abort();
  expect((await watching).exitCode).toBe(130);
  expect(table(text).map(([id, state]) => [id, state])).toEqual([
    ['ID', 'STATE'],
    ['iris', 'unknown'],
    ['iris', 'running'],
  ]);
  await change('unknown');
});
