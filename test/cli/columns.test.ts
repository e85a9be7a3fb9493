import { expect, test } from 'vitest';
import type { Entity, Kind } from '../../client/index.js';
import { factsOf } from '../../cli/describe/facts.js';
import { findKind, isWritable, KIND_WORDS, nameOf, parseTargets, pluralOf, rankOf, wordOf } from '../../cli/kinds.js';
import { columnsOf } from '../../cli/output/columns.js';
import { toCells } from '../../cli/output/table.js';
import { resultOf } from '../../cli/progress/report-end.js';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse('2026-01-01T00:05:00.000Z');
const RUN = { startedAt: AT, finishedAt: '2026-01-01T00:01:20.000Z', reason: 'OutOfMemory', transitions: [] };

/** An entity as the server shows it, in the members that are shown. */
const entity = (kind: Kind, spec: object, status: object = {}, more: object = {}) =>
  ({
    ...{ kind, id: 'wine', uid: 'u', generation: 1, createdBy: 'ada', updatedBy: 'bob', createdAt: AT, updatedAt: AT },
    ...{ spec, status, ...more },
  }) as unknown as Entity;

const ENTITIES = {
  Connection: entity('Connection', {
    type: 'git',
    uri: 'https://example.org/x.git',
    reference: 'main',
    description: 'the\ncode',
  }),
  ToolchainIntegration: entity('ToolchainIntegration', {
    entrypoint: 'mlproject',
    defaultImage: 'r/t:1',
    additionalEnvironments: {},
  }),
  PackagingIntegration: entity('PackagingIntegration', {
    ...{ entrypoint: 'pack', defaultImage: 'r/p:1' },
    schema: {
      targets: [{ name: 'push', required: true }, { name: 'copy' }],
      arguments: { properties: [{ name: 'workers' }] },
    },
  }),
  ModelTraining: entity(
    'ModelTraining',
    {
      ...{ model: { name: 'wine', version: '7' }, toolchain: 'mlflow', hyperParameters: { alpha: '0.5' }, data: [] },
      algorithmSource: { vcs: {}, objectStorage: { connection: 'bucket', path: 'src' } },
    },
    { ...RUN, state: 'failed', metrics: { rmse: 0.123456, n: 12 }, artifactName: 'wine.zip', artifacts: [] },
  ),
  ModelPackaging: entity(
    'ModelPackaging',
    { integrationName: 'rest', artifactName: 'wine.zip', arguments: { workers: 2 }, targets: [] },
    { ...RUN, state: 'succeeded', reason: undefined, results: [{ name: 'image', value: 'r/wine:1' }] },
  ),
  ModelDeployment: entity(
    'ModelDeployment',
    { image: 'r/wine:1', roleName: 'tasters', minReplicas: 1, maxReplicas: 2, feedback: false },
    { state: 'Ready', replicas: 2, availableReplicas: 1, modelName: 'wine', modelVersion: '7', transitions: [] },
  ),
  ModelRoute: entity(
    'ModelRoute',
    {
      urlPrefix: '/wine',
      modelDeployments: [
        { mdName: 'a', weight: 70 },
        { mdName: 'b', weight: 30 },
      ],
      mirror: 'c',
      sticky: { header: 'x-user' },
    },
    { state: 'Ready', edgeUrl: 'https://example.org/wine' },
  ),
  ModelPipeline: entity(
    'ModelPipeline',
    {
      ...{
        training: { model: { name: 'wine' } },
        version: '1.{{ run }}',
        parameters: {},
        packaging: { integrationName: 'rest' },
      },
      ...{ deployment: { id: 'wine' }, gates: { metrics: [], serving: [], heldOut: {}, approval: { required: true } } },
      triggers: {
        ...{ schedule: { cron: '0 3 * * 1', timeZone: 'UTC' }, feedback: { records: 100 }, data: true },
        ...{ drift: { measure: 'rmse', limit: 0.8 }, webhook: { enabled: true } },
      },
    },
    { lastRun: 4, paused: { by: 'ada', at: AT, note: '' } },
  ),
  InferenceService: entity('InferenceService', {
    ...{ image: 'r/wine-tool:1', command: ['python', 'run.py'], args: ['predict'] },
    modelRegistry: { remote: {}, local: { meta: { name: 'wine', version: '7' } } },
    dataSource: { connection: 'files', path: 'in' },
    outputDestination: { connection: 'files' },
    triggers: { webhook: { enabled: true } },
  }),
  InferenceJob: entity(
    'InferenceJob',
    {
      ...{ inferenceServiceId: 'wine', requestId: 'monday', dataSource: { connection: 'files', path: 'in' } },
      outputDestination: { connection: 'files', path: 'out' },
    },
    { ...RUN, state: 'failed', files: { done: 3, total: 12 } },
  ),
  PipelineRun: entity(
    'PipelineRun',
    { pipeline: 'wine', number: 4, trigger: { type: 'schedule' }, parameters: {} },
    {
      ...{
        ...RUN,
        state: 'running',
        finishedAt: undefined,
        reason: undefined,
        modelName: 'wine',
        modelVersion: '1.4',
        gates: [],
      },
      steps: [
        { name: 'training', state: 'succeeded' },
        { name: 'approval', state: 'waiting' },
      ],
    },
  ),
  Dataset: entity(
    'Dataset',
    { title: 'Wines', fields: { name: { type: 'text' }, year: { type: 'integer' } }, lookup: { fields: ['name'] } },
    { rows: 12, version: 30, pinned: { version: 30 } },
  ),
  ApiKey: entity('ApiKey', { name: 'loader', scopes: ['data:write:wines'], expires_at: null }, { last_used_at: AT }),
  Subscription: entity(
    'Subscription',
    { name: 'cellar', mode: 'push', url: 'https://cellar.example/', types: ['dataset.wines.*'], filter: null },
    { state: 'active', level: { proven: 'L1' }, counts: { pending: 0, failed: 2 } },
  ),
  Watch: entity(
    'Watch',
    { name: 'harvest', scope: { dataset: 'wines' }, each: 'set', period: { cron: '0 3 * * *', zone: 'UTC' } },
    { state: 'active', evaluation: { state: 'watching', next_due_at: AT } },
  ),
} satisfies Record<Kind, Entity>;
const KINDS = Object.keys(ENTITIES) as Kind[];

// prettier-ignore
test.each<[Kind, Record<string, string>]>([
  ['Connection', { TYPE: 'git', REFERENCE: 'main', DESCRIPTION: 'the code', BY: 'bob', AGE: '5m' }],
  ['ToolchainIntegration', { ENTRYPOINT: 'mlproject', IMAGE: 'r/t:1', GENERATION: '1' }],
  ['PackagingIntegration', { TARGETS: 'push,copy', IMAGE: 'r/p:1' }],
  ['ModelTraining', { STATE: 'failed', MODEL: 'wine:7', METRICS: 'rmse=0.1235 n=12', TOOK: '1m20s', REASON: 'OutOfMemory', ARTIFACT: 'wine.zip' }],
  ['ModelPackaging', { STATE: 'succeeded', IMAGE: 'r/wine:1', REASON: '-', PACKAGER: 'rest', TOOK: '1m20s' }],
  ['ModelDeployment', { STATE: 'Ready', READY: '1/2', MODEL: 'wine:7', ROLE: 'tasters' }],
  ['ModelRoute', { PREFIX: '/wine', TARGETS: 'a=70,b=30', URL: 'https://example.org/wine' }],
  ['ModelPipeline', { MODEL: 'wine', RUNS: '4', SCHEDULE: '0 3 * * 1 (paused)', DEPLOYMENT: 'wine', TIMEZONE: 'UTC' }],
  ['InferenceService', { IMAGE: 'r/wine-tool:1', INPUT: 'files', OUTPUT: 'files' }],
  ['InferenceJob', { STATE: 'failed', SERVICE: 'wine', FILES: '3/12', TOOK: '1m20s', REASON: 'OutOfMemory' }],
  ['PipelineRun', { STATE: 'running', STEP: 'approval (waiting)', TRIGGER: 'schedule', TOOK: '5m', MODEL: 'wine:1.4', IMAGE: '-' }],
  ['Dataset', { ROWS: '12', VERSION: '30 (pinned)', FIELDS: 'name,year', TITLE: 'Wines' }],
  ['ApiKey', { NAME: 'loader', SCOPES: 'data:write:wines', EXPIRES: '-', USED: '5m' }],
  ['Subscription', { NAME: 'cellar', STATE: 'active', LEVEL: 'L1', FAILED: '2', TO: 'https://cellar.example/' }],
  ['Watch', { NAME: 'harvest', SCOPE: 'wines', PERIOD: '0 3 * * * UTC', DUE: AT }],
])('a wide table of %s shows %o, and a narrow one a part of that', (kind, expected) => {
  const wide = columnsOf(kind, { wide: true });
  const [cells = []] = toCells(wide, [ENTITIES[kind]] as never[], NOW);
  const shown = Object.fromEntries(wide.map(({ header }, at) => [header, cells[at]]));
  expect(shown).toMatchObject({ ID: 'wine', ...expected });
  const narrow = columnsOf(kind, { wide: false }).map(({ header }) => header);
  expect(narrow.length).toBeLessThan(wide.length);
  expect(narrow.filter((header) => !(header in shown))).toEqual([]);
});

test('what has not begun has dashes', () => {
  const fresh = entity('ModelTraining', { model: { name: 'x', version: '1' }, toolchain: 't' }, { state: 'unknown' });
  const columns = columnsOf('ModelTraining', { wide: true });
  const [cells = []] = toCells(columns, [fresh] as never[], NOW);
  for (const header of ['METRICS', 'TOOK', 'REASON', 'ARTIFACT'])
    expect(cells[columns.findIndex((column) => column.header === header)]).toBe('-');
});

// prettier-ignore
test.each<[Kind, Record<string, string>]>([
  ['ModelTraining', { source: 'bucket src', parameters: 'alpha=0.5', took: '1m20s' }],
  ['ModelDeployment', { replicas: '1 of 2 ready (1 to 2 wanted)', model: 'wine 7' }],
  ['ModelRoute', { targets: 'a 70%, b 30%', mirror: 'c', 'sticky by': 'header x-user' }],
  ['ModelPipeline', { schedule: '0 3 * * 1 UTC', paused: 'by ada', runs: '4', gates: 'approval', triggers: '100 feedback records, rmse above 0.8, new data, webhook' }],
  ['InferenceService', { program: 'python run.py predict', model: 'wine 7', input: 'files/in', output: 'files' }],
  ['InferenceJob', { service: 'wine', files: '3 of 12 done', input: 'files/in', output: 'files/out/wine' }],
  ['PipelineRun', { pipeline: 'wine, run 4', took: '5m', model: 'wine 1.4' }],
  ['PackagingIntegration', { targets: 'push (required), copy', arguments: 'workers' }],
  ['Dataset', { rows: '12', version: '30, pinned', fields: 'name=text year=integer', lookup: 'name' }],
  ['ApiKey', { name: 'loader', expires: 'never', 'last used': AT }],
  ['Subscription', { to: 'https://cellar.example/', level: 'L1', deliveries: 'pending=0 failed=2' }],
  ['Watch', { observes: 'wines', each: 'set', period: '0 3 * * * UTC', evaluation: 'watching', 'next due': AT }],
])('a description of %s has the facts %o', (kind, facts) => {
  const found = factsOf(ENTITIES[kind], NOW);
  expect(Object.fromEntries(found)).toMatchObject(facts);
  expect(found.filter(([, value]) => value === '')).toEqual([]);
});

test.each<[Kind, string]>([
  ['ModelTraining', 'wine.zip'],
  ['ModelPackaging', 'r/wine:1'],
  ['ModelDeployment', 'http://server/model/wine'],
  ['ModelRoute', 'https://example.org/wine'],
  ['PipelineRun', ''],
  ['Connection', 'wine'],
])('the result of %s for a script is "%s"', (kind, result) => {
  expect(resultOf(ENTITIES[kind], 'http://server')).toBe(result);
});

test('every kind is found by each of its words in any case, and no word means two', () => {
  const words = KIND_WORDS.flatMap(({ kind, word, plural, short }) => [
    ...new Set([kind, word, plural, ...short].map((each) => each.toLowerCase())),
  ]);
  expect(new Set(words).size).toBe(words.length);
  for (const kind of KINDS) {
    for (const word of [kind, wordOf(kind), pluralOf(kind).toUpperCase()]) expect(findKind(word)).toBe(kind);
    expect(nameOf({ kind, id: 'x' })).toBe(`${wordOf(kind)}/x`);
  }
  expect(KINDS.toSorted((one, other) => rankOf(one) - rankOf(other))).toEqual(KIND_WORDS.map(({ kind }) => kind));
  expect(KINDS.filter((kind) => !isWritable(kind))).toEqual(['PipelineRun']);
});

test.each([
  [
    ['training', 'a', 'b'],
    ['training/a', 'training/b'],
  ],
  [
    ['tr/a', 'dep/b'],
    ['training/a', 'deployment/b'],
  ],
  [['runs/wine-3'], ['run/wine-3']],
])('the words %j mean %j', (words, names) => {
  expect(parseTargets(words).map(nameOf)).toEqual(names);
});

test.each([[['training']], [[]], [['training/a/b']], [['/a']], [['training/a', 'wine']], [['xyz', 'a']]])(
  'the words %j mean nothing',
  (words) => {
    expect(() => parseTargets(words)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  },
);
