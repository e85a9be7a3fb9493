import { expect, test } from 'vitest';
import fc from 'fast-check';
import { acceptConnection } from '../../../lifecycle/validation/connection-validation.js';
import { acceptDeployment } from '../../../lifecycle/validation/deployment-validation.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { acceptPackagingIntegration } from '../../../lifecycle/validation/packaging-integration-validation.js';
import { acceptPackaging } from '../../../lifecycle/validation/packaging-validation.js';
import { acceptPipeline } from '../../../lifecycle/validation/pipeline-validation.js';
import { acceptToolchainIntegration } from '../../../lifecycle/validation/toolchain-integration-validation.js';
import { acceptTraining } from '../../../lifecycle/validation/training-validation.js';
import { installation } from '../../lifecycle/kinds/installation.js';

const context = installation({ connections: { code: { type: 'git', uri: 'git@h:p' } } });
// prettier-ignore
const KINDS: Readonly<Record<string, (body: unknown) => Promise<{ spec: object }>>> = {
  connection:           (body) => acceptConnection(body, context, { replaces: true }),
  training:             (body) => acceptTraining(body, context),
  packaging:            (body) => acceptPackaging(body, context),
  deployment:           (body) => acceptDeployment(body, context),
  pipeline:             (body) => acceptPipeline(body, context),
  toolchainIntegration: (body) => acceptToolchainIntegration(body, context),
  packagingIntegration: (body) => acceptPackagingIntegration(body, context),
};

/** Every body is stored or refused with something that a client can read. */
async function answer(accept: (body: unknown) => Promise<{ spec: object }>, body: unknown): Promise<void> {
  try {
    const { spec } = await accept(body);
    expect(JSON.stringify(spec)).not.toContain('null');
  } catch (err) {
    if (!(err instanceof SlipwayError)) throw err;
    expect(['validation_failed', 'bad_json']).toContain(err.code);
  }
}

const WORDS = [
  'type',
  'uri',
  'model',
  'name',
  'version',
  'toolchain',
  'algorithmSource',
  'vcs',
  'objectStorage',
  'connection',
  'data',
  'localPath',
  'hyperParameters',
  'envs',
  'args',
  'resources',
  'limits',
  'requests',
  'cpu',
  'memory',
  'gpu',
  'arguments',
  'imageName',
  'targets',
  'integrationName',
  'connectionName',
  'nodeSelector',
  'minReplicas',
  'maxReplicas',
  'predictor',
  'image',
  'schema',
  'properties',
  'parameters',
  'value',
  'connectionTypes',
  'required',
  'password',
  'keySecret',
  'vital',
  '__proto__',
  'constructor',
  'toString',
  'imagePullConnectionID',
  'annotations',
  'privileged',
  'outputConnection',
  'training',
  'packaging',
  'deployment',
  'spec',
  'id',
  'gates',
  'metrics',
  'metric',
  'serving',
  'heldOut',
  'approval',
  'triggers',
  'schedule',
  'cron',
  'timeZone',
  'notify',
  'url',
];
const VALUES = [
  'git',
  'gcs',
  'ecr',
  'docker',
  'object-store',
  'container-rest',
  'ml-toolchain',
  'code',
  'docker-ci',
  '*****',
  '{{ Name }}',
  '{{ version }}',
  '* * * * *',
  '250m',
  '-1',
  '{{',
  '',
  '$ref',
  '#',
  'container-push',
  'constructor',
  '9'.repeat(30),
];
const scalar = fc.oneof(fc.constantFrom(...VALUES), fc.integer(), fc.double(), fc.boolean(), fc.string());
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, scalar, fc.constant(null), fc.array(tie('value'), { maxLength: 4 }), tie('object')),
  object: fc
    .array(fc.tuple(fc.constantFrom(...WORDS), tie('value')), { maxLength: 10 })
    .map((entries) => Object.fromEntries(entries) as unknown),
}));

test.each(Object.keys(KINDS))(
  'any JSON as the spec of a %s gets a readable answer',
  async (kind) => {
    const accept = KINDS[kind];
    if (accept === undefined) throw new Error('unknown kind');
    await fc.assert(
      fc.asyncProperty(value, async (spec) => answer(accept, JSON.parse(JSON.stringify({ id: 'iris', spec })))),
      { numRuns: 400 },
    );
    await fc.assert(fc.asyncProperty(fc.jsonValue(), async (body) => answer(accept, body)));
  },
  300_000,
);

const deep = JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)) as unknown;
const deepObject = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as unknown;
const MEGABYTE = 1_000_000;
// prettier-ignore
const HOSTILE: Readonly<Record<string, (kind: string) => unknown>> = {
  'nesting everywhere':     () => ({ id: deep, kind: deep, spec: Object.fromEntries(WORDS.map((word) => [word, word.startsWith('a') ? deepObject : deep])) }),
  'nesting in free places': () => ({ id: 'a', spec: { integrationName: 'container-rest', arguments: { port: deep, host: deepObject }, schema: { arguments: { properties: [{ name: 'x', parameters: [{ name: 'enum', value: deep }] }] } } } }),
  'parameters of any form': () => ({ id: 'a', spec: { entrypoint: 'e', defaultImage: 'i', schema: { arguments: { properties: [{ name: 'x', parameters: ['y', {}, { name: 'z' }, [[]], { name: 1, value: deep }] }] } } } }),
  'a nested body':          () => deep,
  'long lists':             () => ({ id: 'a', spec: Object.fromEntries(['data', 'envs', 'args', 'targets'].map((word) => [word, Array(MEGABYTE / 8).fill(1)])) }),
  'large maps':             () => ({ id: 'a', spec: Object.fromEntries(['hyperParameters', 'arguments', 'annotations'].map((word) => [word, Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, {}]))])) }),
  'long text':              () => ({ id: 'a'.repeat(MEGABYTE), spec: { type: 'git', uri: ':@'.repeat(MEGABYTE / 2), password: 'A'.repeat(MEGABYTE), image: 'a'.repeat(MEGABYTE), roleName: `${'-.'.repeat(MEGABYTE / 2)}!`, model: { name: `${'a-'.repeat(MEGABYTE / 2)}!`, version: '1', artifactNameTemplate: '{{ '.repeat(MEGABYTE / 3) } } }),
  'long templates':         () => ({ id: 'a', spec: { artifactName: 'x', integrationName: 'container-rest', arguments: { imageName: `${'a-.'.repeat(MEGABYTE / 3)}!`, host: 'a.'.repeat(MEGABYTE / 2) }, resources: { limits: { cpu: '9'.repeat(MEGABYTE), memory: `1e${'9'.repeat(60)}` } } } }),
  'spaces in a template':   () => ({ id: 'a', spec: { artifactName: 'x', integrationName: 'container-rest', arguments: { imageName: `{{${' '.repeat(50_000)}x` }, model: { artifactNameTemplate: `{{${' '.repeat(50_000)}x` } } }),
};

test.each(Object.keys(HOSTILE))('%s is answered by every kind, and soon', async (name) => {
  for (const [kind, accept] of Object.entries(KINDS)) {
    const body = HOSTILE[name]?.(kind);
    const started = performance.now();
    await answer(accept, body);
    // Two seconds are ample; what grows faster than its input takes minutes, on a busy machine ten seconds still tell.
    expect(performance.now() - started).toBeLessThan(20_000);
  }
});
