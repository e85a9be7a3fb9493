import type { HostileRequest } from './request.js';

type Row = readonly [name: string, value: unknown, says: string];
const API = '/api/v1';
const MEBI = 2 ** 20;
const long = (count: number, text = 'x'): string => text.repeat(count);
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const training = (name: string, change: object): object => ({
  id: idOf(name),
  spec: {
    model: { name: 'wine', version: '1' },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection: 'code' } },
    ...change,
  },
});
const deployment = (name: string, change: object): object => ({
  id: idOf(name),
  spec: { image: 'docker.io/library/wine:1', predictor: 'platform-ml-server', ...change },
});
const packaging = (name: string, args: object): object => ({
  id: idOf(name),
  spec: {
    artifactName: 'wine.zip',
    integrationName: 'container-rest',
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
    arguments: args,
  },
});
const pipeline = (name: string, change: object): object => ({
  id: idOf(name),
  spec: { training: (training(name, {}) as { spec: object }).spec, ...change },
});

/** A training whose version is a template. */
const placed = {
  model: { name: 'wine', version: '{{ version }}' },
  toolchain: 'ml-toolchain',
  algorithmSource: { vcs: { connection: 'code' } },
};

/** The id that the resource of a row would get. */
const idOf = (name: string): string => `hostile-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 50);

// prettier-ignore
const IDS: readonly Row[] = [
  ['empty id',             '',                       'ID is not valid'],
  ['id with a parent',     '../../etc/passwd',       'ID is not valid'],
  ['id of upper case',     'Wine',                   'ID is not valid'],
  ['id of a prototype',    '__proto__',              'ID is not valid'],
  ['id of an operator',    '$where',                 'ID is not valid'],
  ['id with NUL',          'a\u0000b',               'ID is not valid'],
  ['id with a line end',   'a\nb',                   'ID is not valid'],
  ['id of an option',      '-rf',                    'ID is not valid'],
  ['id of a command',      '$(reboot)',              'ID is not valid'],
  ['id of a megabyte',     long(900_000),            'ID is not valid'],
  ['id that is an object', { $ne: null },            'id must be text'],
  ['id that is a list',    ['a'],                    'id must be text'],
];
// prettier-ignore
const GIT_URIS: readonly Row[] = [
  ['git of a program',        'ext::sh -c reboot',                     'uri of git type must be'],
  ['git of a descriptor',     'fd::17/foo',                            'uri of git type must be'],
  ['git of a local file',     'file:///etc',                           'must not be a local path'],
  ['git of a parent',         '/tmp/../etc',                           'must not be a local path'],
  ['git of a daemon',         'git://example.org/x',                   'uri of git type must be'],
  ['git of an option',        '--upload-pack=reboot',                  'uri of git type must be'],
  ['git of an option of ssh', 'ssh://-oProxyCommand=reboot/x',         'uri of git type must be'],
  ['git of a line end',       'https://example.org/x\n--upload-pack=a', 'uri of git type must be'],
  ['git with a password',     'https://ann:secret@example.org/x',      'uri must not contain a password'],
];
// prettier-ignore
const IMAGES: readonly Row[] = [
  ['image of metadata',    '169.254.169.254/latest/meta-data',   '169.254.169.254 is a metadata address'],
  ['image of a number',    '2852039166:80/a',                    '169.254.169.254 is a metadata address'],
  ['image of hex',         '0xa9fea9fe:80/a',                    '169.254.169.254 is a metadata address'],
  ['image of IPv6',        '[fd00:ec2::254]:80/a',               'fd00:ec2::254 is a metadata address'],
  ['image of a network',   '10.0.0.1:5000/a',                    '10.0.0.1 is a private address'],
  ['image of a line end',  'python:3\nRUN reboot',               'is no image reference'],
  ['image of a command',   '$(reboot)',                          'is no image reference'],
  ['image of an option',   '--privileged',                       'is no image reference'],
  ['image of a URL',       'https://example.org/a',              'is no image reference'],
  ['image of a parent',    '../../a',                            'is no image reference'],
  ['image of a megabyte',  long(900_000),                        'is no image reference'],
];
// prettier-ignore
const TRAININGS: readonly Row[] = [
  ['cpu of many digits',       { resources: { limits: { cpu: long(900, '9') } } },                          'cpu limit'],
  ['cpu of a power',           { resources: { limits: { cpu: '1e400' } } },                                 'cpu limit'],
  ['cpu of not a number',      { resources: { limits: { cpu: 'NaN' } } },                                   'cpu limit'],
  ['memory of an exbibyte',    { resources: { limits: { memory: '1Ei' } } },                                'memory limit'],
  ['memory below zero',        { resources: { limits: { memory: '-1Gi' } } },                               'memory limit'],
  ['data at a parent',         { data: [{ connection: 'rows', localPath: 'x', remotePath: '../..' }] },     'leads out of the path'],
  ['data at the root',         { data: [{ connection: 'rows', localPath: 'x', remotePath: '/etc' }] },      'is absolute'],
  ['data of the platform',     { data: [{ connection: 'models-output', localPath: 'x', remotePath: 'workspaces' }] }, 'which the platform keeps for itself'],
  ['data of all',              { data: [{ connection: 'models-output', localPath: 'x' }] },                 'which the platform keeps for itself'],
  ['data to a parent',         { data: [{ connection: 'rows', localPath: '../../x' }] },                    'localPath'],
  ['data to the root',         { data: [{ connection: 'rows', localPath: '/etc/cron.d' }] },                'localPath'],
  ['work folder of a parent',  { workDir: '../..' },                                                        'workDir'],
  ['work folder of the root',  { workDir: '/etc' },                                                         'workDir'],
  ['variable without a name',  { envs: [{ name: '', value: 'a' }] },                                        'envs'],
  ['variable with a sign',     { envs: [{ name: 'A=B', value: 'a' }] },                                     'envs'],
  ['variable with NUL',        { envs: [{ name: 'A', value: 'a\u0000b' }] },                                'envs'],
  ['parameters as a list',     { hyperParameters: ['a'] },                                                  'spec.hyperParameters must be an object'],
  ['parameters in depth',      { hyperParameters: { a: { b: {} } } },                                       'spec.hyperParameters'],
  ['argument with NUL',        { args: ['a\u0000b'] },                                                      'args'],
  ['parameter with NUL',       { hyperParameters: { 'a\u0000': 'b' } },                                     'hyperParameters'],
  ['artifact at a parent',     { model: { name: 'wine', version: '1', artifactNameTemplate: '../../{{ .Name }}' } }, 'artifactNameTemplate'],
  ['artifact of code',         { model: { name: 'wine', version: '1', artifactNameTemplate: '{{ constructor.constructor("return 1")() }}' } }, 'artifactNameTemplate'],
  ['model name of markup',     { model: { name: '<script>', version: '1' } },                               'invalid training name'],
  ['model name of a template', { model: { name: '{{ .Name }}', version: '1' } },                            'invalid training name'],
  ['toolchain of a prototype', { toolchain: '__proto__' },                                                  'toolchain'],
  ['reference with NUL',       { algorithmSource: { vcs: { connection: 'code', reference: 'main\u0000x' } } }, 'is no git reference'],
  ['reference of lines',       { algorithmSource: { vcs: { connection: 'code', reference: 'main\nx' } } },  'is no git reference'],
  ['reference of a megabyte',  { algorithmSource: { vcs: { connection: 'code', reference: long(900_000) } } }, 'is no git reference'],
  ['two sources',              { algorithmSource: { vcs: { connection: 'code' }, objectStorage: { connection: 'rows' } } }, 'must be only one'],
  ['source that is missing',   { algorithmSource: { vcs: { connection: 'a\u0000b' } } },                    'is not found'],
  ['source of another type',   { algorithmSource: { vcs: { connection: 'models-output' } } },               'must have the GIT type'],
  ['node of another pool',     { nodeSelector: { pool: 'x', $where: '1' } },                                'node selector'],
];
// prettier-ignore
const DEPLOYMENTS: readonly Row[] = [
  ['replicas beyond measure',  { minReplicas: 1e308, maxReplicas: 1e308 },      'minReplicas'],
  ['replicas of five digits',  { minReplicas: 50_000, maxReplicas: 50_000 },    'minimum number of replicas'],
  ['replicas below zero',      { minReplicas: -1 },                             'must not be less than 0'],
  ['replicas of a half',       { minReplicas: 0.5 },                            'spec.minReplicas must be an integer'],
  ['predictor of markup',      { predictor: '<img onerror=alert(1)>' },         'unknown predictor'],
  ['role with a line end',     { roleName: 'a\nadmin' },                        'roleName'],
  ['egress to all',            { egress: 'host' },                              'egress'],
];
// prettier-ignore
const ARGUMENTS: readonly Row[] = [
  ['port of the system',       { port: 22 },                                      'port: Must be greater than or equal to 1024'],
  ['workers of a farm',        { workers: 1e9 },                                  'workers: Must be less than or equal to 64'],
  ['host of an option',        { host: '--bind=0' },                              'host: Does not match pattern'],
  ['host with a line end',     { host: 'a\nUSER 0' },                             'host: Does not match pattern'],
  ['an argument too many',     { privileged: true },                              'Additional property privileged is not allowed'],
  ['image name of a registry', { imageName: 'evil.example/a:1' },                 'must lie under the uri of the push connection'],
  ['image name of a parent',   { imageName: '../../a' },                          'must lie under the uri of the push connection'],
  ['image name of braces',     { imageName: `{{${long(50_000, ' ')}x` },          'imageName'],
];
// prettier-ignore
const PIPELINES: readonly Row[] = [
  ['notify of metadata',       { notify: [{ url: 'https://169.254.169.254/' }] },             'is a metadata address'],
  ['notify of a scheme',       { notify: [{ url: 'file:///etc/passwd' }] },                   'must begin with https'],
  ['notify with a line end',   { notify: [{ url: 'https://example.org/\r\nx: y' }] },         'without blanks'],
  ['notify of another port',   { notify: [{ url: 'https://example.org:22/' }] },              'port 22'],
  ['schedule of a year zero',  { triggers: { schedule: { cron: '0 0 31 2 *' } } },            'never comes'],
  ['schedule of a bomb',       { triggers: { schedule: { cron: long(20_000, '* ') } } },      'schedule'],
  ['zone of a parent',         { triggers: { schedule: { cron: '0 0 * * *', timeZone: '../../etc/passwd' } } }, 'no IANA time zone'],
  ['placeholder of code',      { version: '{{ constructor }}', training: placed },                              'constructor'],
  ['drift of a bad pointer',   { triggers: { drift: { measure: 'mean-absolute-error', prediction: '$..*', truth: '/a', limit: 1 } } }, 'must be a JSON pointer'],
];
// prettier-ignore
const BUCKETS: readonly Row[] = [
  ['bucket in code',           'gs://%73lipway/logs',      'is no name of a bucket'],
  ['bucket of a parent',       'gs://../b/slipway',        'is no name of a bucket'],
  ['bucket of a query',        'gs://a?alt=media#/b',      'is no name of a bucket'],
];
// prettier-ignore
const BODIES: readonly (readonly [name: string, raw: string | Buffer, status: number, says: string])[] = [
  ['brackets',                 nested(500_000, '[', ']'),                                      400, 'nested deeper than 64 levels'],
  ['brackets without an end',  long(MEBI - 1, '['),                                            400, 'nested deeper than 64 levels'],
  ['objects in objects',       nested(150_000, '{"a":', '').slice(0, -1),                      400, 'nested deeper than 64 levels'],
  ['more than a mebibyte',     JSON.stringify({ id: long(MEBI) }),                             413, 'larger than 1048576 bytes'],
  ['bytes that are no text',   Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),                          400, 'not valid UTF-8'],
  ['a body of gzip',           Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),              400, 'not valid UTF-8'],
  ['a body of YAML',           'id: &a [*a]',                                                  400, 'not valid JSON'],
  ['a number as the body',     '1e999',                                                        400, 'must be a JSON object'],
  ['null as the body',         'null',                                                         400, 'must be a JSON object'],
  ['a list as the body',       '[]',                                                           400, 'must be a JSON object'],
  ['a spec of prototypes',     '{"id":"hostile-proto","spec":{"__proto__":{"type":"git"},"constructor":{"prototype":{"a":1}}}}', 400, 'unknown type'],
];

const rows = (path: string, given: readonly Row[], body: (name: string, value: unknown) => object): HostileRequest[] =>
  given.map(([name, value, says]) => ({ name, path: `${API}${path}`, body: body(name, value), status: 400, says }));

/** Requests to the management API. They need the connections `code` (git) and `rows` (object store). */
export const RESOURCES: readonly HostileRequest[] = [
  ...rows('/model/training', IDS, (name, id) => ({ ...training(name, {}), id })),
  ...rows('/connection', GIT_URIS, (name, uri) => ({ id: idOf(name), spec: { type: 'git', uri } })),
  ...rows('/connection', BUCKETS, (name, uri) => ({
    id: idOf(name),
    spec: { type: 'object-store', uri, keySecret: base64('{}') },
  })),
  ...rows('/model/training', IMAGES, (name, image) => training(name, { image })),
  ...rows(
    '/model/deployment',
    IMAGES.map(([name, ...rest]) => [`${name} to deploy`, ...rest]),
    (name, image) => deployment(name, { image }),
  ),
  ...rows(
    '/model/packaging',
    IMAGES.map(([name, ...rest]) => [`${name} as base`, ...rest]),
    (name, image) => packaging(name, { dockerfileBaseImage: image }),
  ),
  ...rows('/model/training', TRAININGS, (name, change) => training(name, change as object)),
  ...rows('/model/deployment', DEPLOYMENTS, (name, change) => deployment(name, change as object)),
  ...rows('/model/packaging', ARGUMENTS, (name, args) => packaging(name, args as object)),
  ...rows('/model/pipeline', PIPELINES, (name, change) => pipeline(name, change as object)),
  ...BODIES.map(([name, raw, status, says]) => ({ name, path: `${API}/connection`, raw, status, says })),
];
