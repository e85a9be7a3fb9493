import { expect, test } from 'vitest';
import { parseDuration } from '../../../platform/kinds/duration.js';
import { resolveWindow } from '../../../lifecycle/kinds/feedback-binding.js';
import { acceptTraining } from '../../../lifecycle/validation/training-validation.js';
import { installation, refusal } from '../kinds/installation.js';

const PREFIX = 'Validation of model training is failed: ';
const LABEL = 'must be valid Kubernetes label, i.e. match this pattern: ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const CONNECTIONS = {
  code: { type: 'git', uri: 'git@h:p', reference: 'main', keySecret: 'sealed' },
  data: { type: 'gcs', uri: 'gs://b' },
  hub: { type: 'docker', uri: 'hub.example', password: 'sealed', usableIn: ['training' as const] },
};
const TOKEN = { name: 'TOKEN', valueFrom: { connection: 'hub', field: 'password' } };
const SPEC = {
  model: { name: 'iris', version: '1.0' },
  toolchain: 'ml-toolchain',
  algorithmSource: { vcs: { connection: 'code' } },
};
const accept = (changed: object, id = 'iris', rules = {}) =>
  acceptTraining({ id, spec: { ...SPEC, ...changed } }, installation({ connections: CONNECTIONS, rules }));
const issues = async (changed: object, id?: string, rules?: object) => {
  const message = await refusal(accept(changed, id, rules));
  expect(message.startsWith(PREFIX)).toBe(true);
  return message.slice(PREFIX.length);
};

test('the list of errors is the one of the guide', async () => {
  expect(await refusal(acceptTraining({ kind: 'ModelTraining', id: 'a', spec: null }, installation()))).toBe(
    'Validation of model training is failed: empty model.name; empty model.version; both VCS and ObjectStorage names are empty; empty toolchain parameter',
  );
});

test('every default is filled in, from the toolchain and the connection too', async () => {
  expect(await accept({})).toEqual({
    id: 'iris',
    spec: {
      model: { name: 'iris', version: '1.0', artifactNameTemplate: '{{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip' },
      toolchain: 'ml-toolchain',
      entrypoint: 'main',
      workDir: './',
      algorithmSource: { vcs: { connection: 'code', reference: 'main' }, objectStorage: {} },
      data: [],
      hyperParameters: {},
      envs: [],
      args: [],
      image: 'toolchain:1',
      resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { cpu: '2', memory: '2Gi' } },
      outputConnection: 'models-output',
      nodeSelector: {},
    },
  });
});

test('what was sent is stored as sent; text may come as a number', async () => {
  const { spec } = await accept({
    model: { name: 'iris', version: 2 },
    toolchain: 'mlflow',
    image: 'own:1',
    algorithmSource: { vcs: { connection: 'code', reference: 'v2' }, objectStorage: { connection: null, path: null } },
    hyperParameters: { alpha: 0.5, deep: true, name: '' },
    envs: [{ name: 'N', value: 4 }],
    resources: { limits: { cpu: 4, memory: '2Gi', gpu: '' }, requests: null },
  });
  expect(spec).toMatchObject({
    model: { version: '2' },
    toolchain: 'mlflow',
    image: 'own:1',
    algorithmSource: { vcs: { connection: 'code', reference: 'v2' }, objectStorage: {} },
    hyperParameters: { alpha: '0.5', deep: 'true', name: '' },
    envs: [{ name: 'N', value: '4' }],
  });
  expect(spec.resources).toEqual({ limits: { cpu: '4', memory: '2Gi' }, requests: {} });
});

test('the fields are judged in the order of the guide', async () => {
  const everything = {
    model: { name: '-n', version: 'v/' },
    resources: { requests: { cpu: '2x', memory: '4Gi', gpu: '0.5' }, limits: { cpu: '0', memory: '2Gi' } },
    algorithmSource: { vcs: { connection: 'code' }, objectStorage: { connection: 'data' } },
    data: [{}, { connection: 'nowhere', localPath: 'x' }, { connection: 'code', localPath: 'x' }],
    toolchain: 'no toolchain',
    outputConnection: 'nothing',
    nodeSelector: { zone: 'b', arch: 'x' },
  };
  expect(await issues(everything, '1st')).toBe(
    [
      'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter first, no - at the end',
      `invalid training name: -n ${LABEL}`,
      `invalid training version: v/ ${LABEL}`,
      "validation of cpu request is failed: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      'validation of cpu limit is failed: must be greater than zero',
      'validation of gpu limit is failed: must be a whole number',
      'both VCS and ObjectStorage names are specified, must be only one',
      'you should specify local path for 0 number of data binding',
      'you should specify connection name for 0 number of data binding',
      'entity "nowhere" is not found',
      'code data binding has wrong data type. Currently supported the following types of connections for data bindings: [s3 gcs azureblob object-store]',
      `invalid training toolchain: no toolchain ${LABEL}`,
      'entity "no toolchain" is not found',
      '"Spec."OutputConnection"" validation errors: entity "nothing" is not found',
      'node selector map[arch:x zone:b] equals no node pool: none is configured, leave nodeSelector out',
      'resources.requests: Invalid value: "4Gi": must be less than or equal to memory limit',
    ].join('; '),
  );
});

// prettier-ignore
const REFUSED = [
  [{ algorithmSource: { vcs: { connection: 'gone' } } }, 'entity "gone" is not found'],
  [{ algorithmSource: { vcs: { connection: 'data', reference: 'x' } } }, 'VCS connection must have the GIT type. You pass the connection of gcs type'],
  [{ algorithmSource: { vcs: { connection: 'code', reference: 'a\nb' } } }, '"a\\nb" is no git reference: it has at most 1024 characters, and no control characters'],
  [{ algorithmSource: { objectStorage: { connection: 'gone' } } }, 'entity "gone" is not found'],
  [{ algorithmSource: { objectStorage: { connection: 'code' } } }, 'code object storage has wrong data type. Currently supported the following types of connections for object storage: [s3 gcs azureblob object-store]'],
  [{ data: [{ connection: 'data', localPath: 'x', remotePath: 'a/../../b' }] }, 'data data binding: the path "a/../../b" leads out of the path of the connection'],
  [{ data: [{ connection: 'data', localPath: 'x', remotePath: '/b' }] }, 'data data binding: the path "/b" is absolute: give it below the path of the connection'],
  [{ data: [{ connection: 'models-output', localPath: 'x', remotePath: 'workspaces/sha256' }] }, 'models-output data binding: "workspaces/sha256" holds "workspaces", which the platform keeps for itself: give the path of other data'],
  [{ data: [{ connection: 'models-output', localPath: 'x' }] }, 'models-output data binding: the whole bucket holds "artifacts", which the platform keeps for itself: give the path of other data'],
  [{ algorithmSource: { objectStorage: { connection: 'models-output', path: './logs/training/' } } }, 'models-output object storage: "logs/training" holds "logs", which the platform keeps for itself: give the path of other data'],
  [{ workDir: 'a/../../b' }, 'workDir "a/../../b" leads out of the source: give a path below its root'],
  [{ data: [{ connection: 'data', localPath: '/etc/x' }] }, 'localPath "/etc/x" leads out of the source: give a path below its root'],
  [{ envs: [{ name: 'A=B', value: '1' }] }, 'envs.0.name "A=B" is no name of a variable: it has at least one character, no "=" and no control character'],
  [{ envs: [{ name: '', value: '1' }] }, 'envs.0.name "" is no name of a variable: it has at least one character, no "=" and no control character'],
  [{ envs: [{ name: 'A', value: 'a\u0000' }] }, 'envs.0.value "a\\u0000" holds a NUL character: no program can get it, remove it'],
  [{ args: ['\u0000'] }, 'args.0 "\\u0000" holds a NUL character: no program can get it, remove it'],
  [{ hyperParameters: { a: '\u0000' } }, 'hyperParameters "\\u0000" holds a NUL character: no program can get it, remove it'],
  [{ resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } }, 'resources.requests: Invalid value: "2": must be less than or equal to cpu limit'],
  [{ model: { name: 'a', version: '1', artifactNameTemplate: '{{ .Env }}' } }, 'model.artifactNameTemplate: unknown variable "Env", known are Name, Version, RandomUUID, CommitID'],
  [{ model: 5, toolchain: {} }, 'spec.model must be an object; spec.toolchain must be text'],
  [{ data: { connection: 'data' } }, 'spec.data must be a list'],
  [{ algorithmSource: { vcs: { connection: 5 } } }, 'spec.algorithmSource.vcs.connection must be text'],
  [{ args: [{}], envs: [7] }, 'spec.envs.0 must be an object; spec.args.0 must be text'],
  [{ envs: [{ ...TOKEN, valueFrom: { connection: 'gone', field: 'password' } }] }, 'entity "gone" is not found'],
  [{ envs: [{ ...TOKEN, valueFrom: { field: 'password' } }] }, 'name the connection that holds the secret'],
  [{ envs: [{ ...TOKEN, valueFrom: { connection: 'code', field: 'keySecret' } }] }, 'secrets of "code" are not for trainings: an admin allows it with usableIn: [training] in the connection'],
  [{ envs: [{ ...TOKEN, valueFrom: { connection: 'hub', field: 'keySecret' } }] }, 'connection "hub" has no secret "keySecret": it has password'],
  [{ envs: [{ ...TOKEN, valueFrom: { connection: 'hub', field: 'uri' } }] }, 'connection "hub" has no secret "uri": it has password'],
  [{ envs: [{ ...TOKEN, value: 'x' }] }, '"TOKEN" has value and valueFrom: give one of them'],
  [{ envs: [{ ...TOKEN, name: '../a' }] }, 'a name with valueFrom must be letters, digits and "_", such as API_TOKEN; got "../a"'],
  [{ envs: [{ name: 'TOKEN', value: 'x' }, TOKEN] }, '"TOKEN" is given twice'],
  [{ envs: [{ ...TOKEN, valueFrom: 'hub' }] }, 'spec.envs.0.valueFrom must be an object'],
  [{ resources: { limits: { cpu: [] } } }, 'spec.resources.limits.cpu must be text'],
] as const;
test.each(REFUSED)('%j is refused', async (changed, text) => {
  expect(await issues(changed)).toBe(text);
});

test('a variable may be a secret of a connection that allows it', async () => {
  expect((await accept({ envs: [TOKEN] })).spec.envs).toEqual([{ ...TOKEN, value: '' }]);
});

const BINDING = { localPath: 'data/feedback.csv', feedback: { model: 'iris', last: 'P7D', format: 'csv' } };

test('data may be the feedback on a model', async () => {
  const { spec } = await accept({ data: [BINDING, { connection: 'data', localPath: 'x', feedback: null }] });
  const defaults = { within: 'P30D', allowEmpty: false };
  expect(spec.data).toEqual([
    { connection: '', localPath: 'data/feedback.csv', feedback: { ...defaults, ...BINDING.feedback } },
    { connection: 'data', localPath: 'x' },
  ]);
  const from = '2026-01-01T00:00:00Z';
  const absolute = { model: 7, version: 1.5, from, to: '2026-01-02T00:00:00+01:00', within: 'PT90M', allowEmpty: true };
  const { spec: second } = await accept({ data: [{ localPath: 'x', feedback: absolute }] });
  expect(second.data[0]?.feedback).toEqual({ ...absolute, model: '7', version: '1.5', format: 'ndjson' });
});

// prettier-ignore
const REFUSED_FEEDBACK = [
  [{}, 'you should specify the model whose feedback is the data; feedback needs either last or from'],
  [{ model: 'iris', to: '2026-01-01T00:00:00Z' }, 'feedback needs either last or from'],
  [{ model: 'iris', last: 'P7D', from: '2026-01-01T00:00:00Z' }, 'both last and from or to are specified, must be only one'],
  [{ model: 'iris', last: 'a week' }, 'last must be a duration such as P7D or PT12H, not "a week"'],
  [{ model: 'iris', last: 'P1Y' }, 'last must be a duration such as P7D or PT12H, not "P1Y"'],
  [{ model: 'iris', last: 'PT0S', within: 'P9999D' }, 'last must be longer than nothing and at most 366 days, not "PT0S"; within must be longer than nothing and at most 366 days, not "P9999D"'],
  [{ model: 'iris', from: 'yesterday' }, 'from must be a time such as 2026-01-31T12:00:00Z, not "yesterday"'],
  [{ model: 'iris', from: '2026-01-02T00:00:00Z', to: '2026-01-01T23:59:59-01:00', format: 'xml' }, 'format is ndjson or csv, not "xml"'],
  [{ model: 'iris', from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, 'to must be later than from'],
  [{ model: {}, last: 'P1D', allowEmpty: 'yes' }, 'spec.data.0.feedback.model must be text; spec.data.0.feedback.allowEmpty must be true or false'],
] as const;
test.each(REFUSED_FEEDBACK)('feedback %j is refused', async (feedback, text) => {
  expect(await issues({ data: [{ localPath: 'x', feedback }] })).toBe(text);
});

test('data that is both feedback and a connection, or neither, is refused', async () => {
  expect(await issues({ data: [{ ...BINDING, connection: 'data' }] })).toBe(
    'both connection and feedback are specified for 0 number of data binding, must be only one',
  );
  expect(await issues({ data: [{ localPath: 'x', feedback: 'iris' }] })).toBe('spec.data.0.feedback must be an object');
});

test.each([
  ['PT168H', 168 * 3_600_000],
  ['P2W1DT1M30S', 15 * 86_400_000 + 90_000],
  ['P', undefined],
  ['P1DT', undefined],
  ['P1M', undefined],
  ['-P1D', undefined],
])('the duration %s has %p ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test('a window is resolved from the start of the run, and never reaches beyond it', () => {
  const start = new Date('2026-02-01T12:00:00.789Z');
  const asOf = Date.parse('2026-02-01T12:00:00Z');
  const binding = { model: 'iris', within: 'P1D', format: 'ndjson', allowEmpty: false };
  const withinMs = 86_400_000;
  expect(resolveWindow({ ...binding, last: 'PT1H' }, start)).toEqual({
    from: asOf - 3_600_000,
    to: asOf,
    asOf,
    withinMs,
  });
  const from = '2026-01-01T00:00:00Z';
  expect(resolveWindow({ ...binding, from }, start)).toEqual({ from: Date.parse(from), to: asOf, asOf, withinMs });
  const to = '2026-01-15T00:00:00Z';
  expect(resolveWindow({ ...binding, from, to }, start).to).toBe(Date.parse(to));
  expect(resolveWindow({ ...binding, from, to: '2027-01-01T00:00:00Z' }, start).to).toBe(asOf);
});

test('an installation without default output connection says so', async () => {
  expect(await issues({}, 'iris', { outputConnection: undefined })).toBe(
    '"Spec."OutputConnection"" validation errors: empty "OutputConnection"',
  );
});

test('a node selector must equal a whole pool, in any order of its keys', async () => {
  const rules = { nodePools: [{ zone: 'a', arch: 'x' }] };
  expect((await accept({ nodeSelector: { arch: 'x', zone: 'a' } }, 'iris', rules)).spec.nodeSelector).toEqual({
    arch: 'x',
    zone: 'a',
  });
  expect(await issues({ nodeSelector: { arch: 'x' } }, 'iris', rules)).toBe(
    'node selector map[arch:x] equals no node pool: see SLIPWAY_NODE_POOLS',
  );
});

test('requests equal to limits in other units are allowed', async () => {
  const resources = { requests: { cpu: '1.5', memory: '0.5Gi' }, limits: { cpu: '1500m', memory: '512Mi' } };
  expect((await accept({ resources })).spec.resources).toEqual(resources);
});

test('an entity of the alias id wins over the built-in one', async () => {
  const { lookups, rules } = installation({ connections: CONNECTIONS });
  const builtIn = await lookups.toolchain('ml-toolchain');
  const own = builtIn && { ...builtIn, id: 'mlflow', spec: { ...builtIn.spec, defaultImage: 'own:2' } };
  const context = {
    lookups: { ...lookups, toolchain: async (id: string) => (id === 'mlflow' ? own : builtIn) },
    rules,
  };
  const { spec } = await acceptTraining({ id: 'iris', spec: { ...SPEC, toolchain: 'mlflow' } }, context);
  expect(spec.image).toBe('own:2');
});
