import { expect, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { acceptPipeline } from '../../../lifecycle/validation/pipeline-validation.js';
import { installation } from '../kinds/installation.js';
import { accept, issues, PIPELINE } from '../kinds/pipelines.js';

test('a pipeline is stored as it was written, with the defaults of every part', async () => {
  const { id, spec } = await accept();
  expect(id).toBe('wine');
  expect(spec).toMatchObject({
    ...PIPELINE,
    gates: {
      metrics: [],
      serving: [],
      approval: { required: false, roles: [], timeoutSeconds: 604_800 },
    },
    triggers: { schedule: { timeZone: 'UTC', jitterSeconds: 0, catchupSeconds: 60 }, data: false },
    onFailure: 'restore',
    notify: [],
    noCache: false,
  });
  expect(spec.deployment.spec).toMatchObject({ minReplicas: 0, maxReplicas: 1, feedback: true });
});

test('a pipeline may end with the image, or with the artifact', async () => {
  expect((await accept({ deployment: {} })).spec.deployment.id).toBe('');
  expect((await accept({ deployment: null, packaging: '' })).spec.packaging.integrationName).toBe('');
});

test('a pipeline that was read can be written again', async () => {
  const { spec } = await accept({ gates: { heldOut: {} }, triggers: { schedule: { cron: '0 6 * * MON' } } });
  expect((await accept(JSON.parse(JSON.stringify(spec)) as object)).spec).toEqual(spec);
});

test.each([
  [{}, true],
  [{ roles: ['admin'] }, true],
  [{ timeoutSeconds: 60 }, true],
  [{ required: false }, false],
  [null, false],
  [{ required: null, roles: null }, false],
])('an approval of %j is required: %s', async (approval, required) => {
  expect((await accept({ gates: { approval } })).spec.gates.approval.required).toBe(required);
});

test('a deployment in a pipeline is read like any deployment', async () => {
  const spec = { predictor: 'odahu-ml-server', minReplicas: '2', imagePullConnectionID: 'docker-ci' };
  expect((await accept({ deployment: { id: 'wine', spec } })).spec.deployment.spec).toMatchObject({
    minReplicas: 2,
    maxReplicas: 2,
    imagePullConnID: 'docker-ci',
  });
  const both = { ...spec, imagePullConnID: 'another' };
  expect(await issues({ deployment: { id: 'wine', spec: both } })).toBe(
    'imagePullConnID and imagePullConnectionID have different values, send one of them',
  );
});

const INVALID = 'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter first, no - at the end';
// prettier-ignore
const IDS = [
  ['Bad_ID', INVALID],
  ['1wine', INVALID],
  ['wine-', INVALID],
  ['', 'ID is not valid; empty "ID"'],
  [5, 'id must be text'],
  ['a'.repeat(54), 'pipeline ID should not exceed 53 symbols'],
  ['a'.repeat(64), `${INVALID}; pipeline ID should not exceed 53 symbols`],
] as const;
test.each(IDS)('the id %j is refused once', async (id, message) => {
  expect(await issues({}, id)).toBe(message);
});

test('the longest id leaves room for the numbers of runs', async () => {
  expect((await accept({}, 'a'.repeat(53))).id).toHaveLength(53);
});

const { training, packaging, deployment } = PIPELINE;
const NOTHING_KNOWN = 'known are pipeline, run, version, commit, parameters.alpha';
// prettier-ignore
const REFUSED: readonly (readonly [object, string])[] = [
  // Each part, by the rules of its kind.
  [{ training: {} }, 'empty model.name; empty model.version; both VCS and ObjectStorage names are empty; empty toolchain parameter'],
  [{ training: { ...training, algorithmSource: { vcs: { connection: 'gone' } } } }, 'entity "gone" is not found'],
  [{ packaging: { ...packaging, integrationName: 'gone' } }, 'packaging integration with name .spec.integrationName = "gone" is not found'],
  [{ deployment: { id: 'wine', spec: { predictor: 'gone' } } }, 'unknown predictor: gone'],
  [{ deployment: { id: 'Bad_ID', spec: deployment.spec } }, `spec.deployment.id: ${INVALID}`],
  [{ deployment: { id: 'a'.repeat(64), spec: deployment.spec } }, 'spec.deployment.id: model deployment ID should not exceed 63 symbols'],
  [{ deployment: { ...deployment, spec: { ...deployment.spec, minReplicas: 3, maxReplicas: 2 } } }, 'maximum number of replicas parameter must not be less than minimum number of replicas parameter'],
  [{ packaging: {} }, 'a deployment needs the image of a packaging'],
  [{ packaging, deployment: {}, gates: { approval: {} } }, 'without a deployment there is nothing to approve'],
  [{ gates: { approval: { required: false, roles: ['admin'] } } }, 'spec.gates.approval.required is false although roles are named: leave approval out if no person has to approve'],
  [{ onFailure: 'explode' }, 'onFailure is restore or keep, not "explode"'],
  // Wrong types, of which nothing else is said.
  [
    { parameters: [], version: {}, training: 3, packaging: 'x', deployment: [], gates: 5, triggers: [], notify: {}, onFailure: 7, noCache: 'yes' },
    'spec.gates must be an object; spec.triggers must be an object; spec.onFailure must be text; ' +
      'spec.parameters must be an object; spec.version must be text; spec.training must be an object; ' +
      'spec.packaging must be an object; spec.deployment must be an object; spec.notify must be a list; spec.noCache must be true or false',
  ],
  [{ deployment: { id: 'wine', spec: { ...deployment.spec, minReplicas: 'two' } } }, 'spec.deployment.spec.minReplicas must be an integer'],
  [{ parameters: { alpha: { beta: 1 } }, training: { ...training, hyperParameters: {} } }, 'spec.parameters.alpha must be text'],
  // Placeholders.
  [{ version: '{{ nope }}' }, `unknown placeholder "nope", ${NOTHING_KNOWN}`],
  [{ training: { ...training, args: ['{{ parameters.beta }}'] } }, `unknown placeholder "parameters.beta", ${NOTHING_KNOWN}`],
  [{ packaging: { ...packaging, arguments: { deep: [{ er: '{{ secrets.key }}' }] } } }, `unknown placeholder "secrets.key", ${NOTHING_KNOWN}`],
  [{ deployment: { id: 'wine', spec: { predictor: '{{ __proto__ }}' } } }, `unknown placeholder "__proto__", ${NOTHING_KNOWN}`],
  [{ version: '{{ version }}' }, 'placeholders form a cycle: version -> version'],
  [{ parameters: { alpha: '{{ parameters.beta }}', beta: '{{parameters.alpha}}' } }, 'placeholders form a cycle: parameters.alpha -> parameters.beta -> parameters.alpha'],
  [{ training: { ...training, algorithmSource: { vcs: { connection: 'code', reference: '{{ commit }}' } } } }, 'placeholder "commit" is not known at this place'],
];
test.each(REFUSED)('%j is refused', async (changed, message) => {
  expect(await issues(changed)).toBe(message);
});

test('placeholders that fill in with something impossible are judged by what comes out', async () => {
  expect(await issues({ version: '-{{ run }}' })).toMatch(/version/);
  expect(await issues({ parameters: { alpha: '0.5', hub: 'gone' }, packaging: named('{{ parameters.hub }}') })).toBe(
    'entity "gone" is not found',
  );
});
const named = (connectionName: string) => ({ ...packaging, targets: [{ name: 'container-push', connectionName }] });

test('each finding names its place', async () => {
  const error: unknown = await accept({
    training: { ...training, toolchain: '' },
    deployment: { id: 'X', spec: {} },
  }).catch((err: unknown) => err);
  if (!(error instanceof SlipwayError)) throw new Error('it was accepted');
  const paths = error.issues.map(({ path }) => path);
  expect(paths).toEqual(['spec.training.toolchain', 'spec.deployment.id', 'spec.deployment.spec.predictor']);
});

test('a body that is no object, has no id, or is of another kind, is refused', async () => {
  const context = installation();
  await expect(acceptPipeline([], context)).rejects.toMatchObject({ code: 'bad_json' });
  await expect(acceptPipeline({ kind: 'ModelTraining', id: 'x' }, context)).rejects.toThrow(/does not belong/);
  await expect(acceptPipeline({ spec: PIPELINE }, context)).rejects.toThrow(/empty "ID"/);
});
