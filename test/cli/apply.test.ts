import { expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();

/** A packaging that needs nothing, a training that needs a connection, and the connection, the wrong way round. */
const manifest = (name: string, more = '') => `
kind: ModelPackaging
id: ${name}
spec: { integrationName: container-rest, artifactName: ${name}.zip }
---
kind: ModelTraining
id: ${name}
spec:
  model: { name: wine, version: 1.10 }
  toolchain: mlflow
  algorithmSource: { vcs: { connection: ${name} } }
  hyperParameters: { alpha: 0.10, depth: 3 }
  ${more}
---
kind: Connection
id: ${name}
spec: { type: git, uri: https://example.org/${name}.git, password: c2VjcmV0, username: me }
`;

test('what is applied is created in the order of dependency, and the second time unchanged', async () => {
  const file = await slipway.file(manifest('first'));
  expect(await slipway.run(['apply', '-f', file])).toEqual({
    exitCode: 0,
    err: '',
    out: 'connection/first created\ntraining/first created\npackaging/first created\n',
  });
  expect((await slipway.run(['apply', '-f', file])).out).toBe(
    'connection/first unchanged\ntraining/first unchanged\npackaging/first unchanged\n',
  );
  expect(await slipway.run(['diff', '-f', file])).toEqual({ exitCode: 0, out: '', err: '' });
});

test('a number that is a text for the server arrives as it was written', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('written'))]);
  const { body } = await api.call('GET', '/api/v1/model/training/written');
  expect(body.spec.model.version).toBe('1.10');
  expect(body.spec.hyperParameters).toEqual({ alpha: '0.10', depth: '3' });
});

test('a dry run and a diff tell what apply does, and do nothing', async () => {
  const file = await slipway.file(manifest('dry'));
  const dry = await slipway.run(['apply', '-f', file, '--dry-run']);
  expect(dry.out).toBe(
    'connection/dry created (dry run)\ntraining/dry created (dry run)\npackaging/dry created (dry run)\n',
  );
  expect((await api.call('GET', '/api/v1/model/training/dry')).status).toBe(404);
  await slipway.run(['apply', '-f', file]);
  const changed = await slipway.file(manifest('dry', 'envs: [{ name: A, value: b }]'));
  const { exitCode, out } = await slipway.run(['diff', '-f', changed]);
  expect(exitCode).toBe(1);
  expect(out.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
    '--- server/training/dry',
    '+++ manifest/training/dry',
    '-  envs: []',
    '+  envs:',
    '+    - name: A',
    '+      value: b',
  ]);
  expect((await slipway.run(['apply', '-f', changed])).out).toContain('training/dry updated\n');
});

test('a secret is shown nowhere, and a changed one is sent', async () => {
  const connection = (secret: string) => `
kind: Connection
id: secretive
spec: { type: container-registry, uri: example.org/x, username: me, password: ${Buffer.from(secret).toString('base64')} }`;
  const first = await slipway.file(connection('first-secret'));
  const created = await slipway.run(['diff', '-f', first]);
  expect(created.out).toContain('+  password: "*****"');
  await slipway.run(['apply', '-f', first]);
  expect((await slipway.run(['apply', '-f', first])).out).toBe('connection/secretive unchanged\n');
  const other = await slipway.file(connection('other-secret'));
  expect((await slipway.run(['apply', '-f', other])).out).toBe('connection/secretive updated\n');
  const shown = await slipway.run(['get', 'connection', 'secretive', '-o', 'yaml']);
  expect(shown.out).toContain('password: "*****"');
  const { body } = await api.call('GET', '/api/v1/connection/secretive/decrypted');
  expect(Buffer.from(body.spec.password, 'base64').toString()).toBe('other-secret');
});

test('what the server shows can be applied again', async () => {
  await slipway.run(['apply', '-f', await slipway.file(manifest('again'))]);
  for (const kind of ['connection', 'training', 'packaging']) {
    for (const format of ['yaml', 'json']) {
      const { out } = await slipway.run(['get', kind, 'again', '-o', format]);
      expect((await slipway.run(['apply', '-f', '-'], { stdin: out })).out).toBe(`${kind}/again unchanged\n`);
    }
  }
});

test('all problems are reported at once with their lines, and nothing is sent', async () => {
  const file = await slipway.file(
    `kind: ModelTrainig
id: a
---
kind: Connection
id: Upper
spec: { type: git, uri: 5 }
---
kind: Connection
id: good
spec: { type: git, uri: https://example.org/x.git }
---
kind: Connection
id: good
spec: {}
---
id: nothing
---
just text
`,
    'wrong.yaml',
  );
  const { exitCode, out, err } = await slipway.run(['apply', '-f', file]);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err.replaceAll(`${slipway.folder}/`, '')).toBe(`Error: 6 problems in the manifests, nothing was sent:
  wrong.yaml:1: unknown kind of object: "ModelTrainig"; did you mean ModelTraining?
  wrong.yaml:5: ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter first, no - at the end
  wrong.yaml:6: spec.uri must be text
  wrong.yaml:12: connection/good is already defined at wrong.yaml:8
  wrong.yaml:16: the document has no kind
  wrong.yaml:18: a document is an object with kind, id and spec
`);
  expect((await api.call('GET', '/api/v1/connection/good')).status).toBe(404);
});

test('what the server would refuse is refused before anything is sent, with the line of the field', async () => {
  const file = await slipway.file(
    `kind: Connection
id: judged
spec: { type: git, uri: https://example.org/x.git }
---
kind: ModelDeployment
id: judged
spec:
  image: example.org/x:1
  predictor: unheard-of
  minReplicas: 3
  maxReplicas: 2
---
kind: ModelTraining
id: judged
spec:
  model: { name: wine, version: 1 }
  toolchain: nope
  algorithmSource: { vcs: { connection: judged } }
`,
    'judged.yaml',
  );
  const { exitCode, err } = await slipway.run(['apply', '-f', file]);
  expect(exitCode).toBe(2);
  expect(err.replaceAll(`${slipway.folder}/`, '')).toContain('judged.yaml:17: entity "nope" is not found');
  expect(err).toContain(':9: unknown predictor: unheard-of');
  expect(err).toContain(':11: maximum number of replicas parameter must not be less than minimum');
  expect((await api.call('GET', '/api/v1/connection/judged')).status).toBe(404);
});

test('an unknown field is refused with the nearest name', async () => {
  const { exitCode, err } = await slipway.run([
    'apply',
    '--dry-run',
    '-f',
    await slipway.file(manifest('typo', 'hyperParameter: {}')),
  ]);
  expect(exitCode).toBe(2);
  expect(err).toMatch(/:13: spec.hyperParameter is no field: did you mean hyperParameters\?\n/);
});

test('a failure in between tells what was applied and what was not', async () => {
  const file = await slipway.file(manifest('half'));
  const limited = { SLIPWAY_TOKEN: await api.token(['data_scientist']) };
  const refused = await slipway.run(['apply', '-f', file], { env: limited });
  expect(refused.exitCode).toBe(3);
  expect(refused.err).toContain('connection/half was not applied: Forbidden (status 403, request ');
  expect(refused.err).toContain('applied: nothing; not applied: connection/half, training/half, packaging/half\n');
});

test('each apply of a job makes a new one, which is named; its manifest alone deletes none', async () => {
  const file = await slipway.file(`
kind: InferenceJob
spec: { inferenceServiceId: grapes }
---
kind: InferenceService
id: grapes
spec:
  image: example.org/tool:1
  command: [predict]
  modelRegistry: { local: { meta: { name: grapes, version: 1 } } }
  dataSource: { connection: models-output, path: batch/in }
  outputDestination: { connection: models-output, path: batch/out }
`);
  const applied = [await slipway.run(['apply', '-f', file]), await slipway.run(['apply', '-f', file])];
  const ids = applied.map(({ out }) => /inference-job\/(job-grapes-[0-9a-f]{5}) created/.exec(out)?.[1] ?? '');
  expect(new Set(ids).size).toBe(2);
  expect(applied.map(({ out, err }) => [out.split('\n')[0], err])).toEqual([
    ['inference-service/grapes created', ''],
    ['inference-service/grapes unchanged', ''],
  ]);

  const exported = await slipway.file((await slipway.run(['get', 'job', ids[0] ?? '', '-o', 'yaml'])).out);
  expect((await slipway.run(['apply', '-f', exported])).out).toBe(`inference-job/${ids[0]} unchanged\n`);
  const deleted = await slipway.run(['delete', '-f', file]);
  expect([deleted.exitCode, deleted.err]).toEqual([2, expect.stringContaining('there are child jobs')]);
  expect((await slipway.run(['delete', 'job', ...ids])).exitCode).toBe(0);
  expect((await slipway.run(['delete', '-f', file])).out).toBe('inference-service/grapes deleted\n');
});
