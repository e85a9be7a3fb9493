import { expect, test } from 'vitest';
import { acceptDeployment } from '../../../lifecycle/validation/deployment-validation.js';
import { installation, refusal } from '../kinds/installation.js';

const PREFIX = 'Validation of model deployment is failed: ';
const LIVENESS = 'livenessProbeInitialDelay must be non-negative integer';
const READINESS = 'readinessProbeInitialDelay must be non-negative integer';
const MAX_BELOW_MIN = 'maximum number of replicas parameter must not be less than minimum number of replicas parameter';
const MAX_BELOW_1 = 'maximum number of replicas parameter must not be less than 1';
const MIN_BELOW_0 = 'minimum number of replicas parameter must not be less than 0';
const SPEC = { image: 'hub/iris:1', predictor: 'platform-ml-server' };
const accept = (changed: object, id = 'iris', rules = {}) =>
  acceptDeployment({ id, spec: { ...SPEC, ...changed } }, installation({ rules }));
const issues = async (changed: object, id?: string, rules?: object) => {
  const message = await refusal(accept(changed, id, rules));
  expect(message.startsWith(PREFIX)).toBe(true);
  return message.slice(PREFIX.length);
};

test('every default is filled in', async () => {
  expect(await accept({})).toEqual({
    id: 'iris',
    spec: {
      ...SPEC,
      roleName: 'role-iris',
      minReplicas: 0,
      maxReplicas: 1,
      suspended: false,
      livenessProbeInitialDelay: 2,
      readinessProbeInitialDelay: 2,
      imagePullConnID: 'docker-ci',
      resources: { requests: { cpu: '125m', memory: '256Mi' }, limits: { cpu: '1', memory: '1Gi' } },
      annotations: {},
      nodeSelector: {},
      feedback: true,
      egress: 'none',
      protected: false,
      records: { redact: [], retentionDays: 0 },
    },
  });
});

test('the lists of errors are those of the guide', async () => {
  expect(await issues({ minReplicas: 2, maxReplicas: 1, image: null, predictor: '' }, '')).toBe(
    `${MAX_BELOW_MIN}; ID is not valid; empty "ID"; empty image parameter; empty predictor parameter`,
  );
  const below = { livenessProbeInitialDelay: -1, readinessProbeInitialDelay: '-1', minReplicas: -1, maxReplicas: -2 };
  expect(await issues(below)).toBe([LIVENESS, READINESS, MAX_BELOW_MIN, MAX_BELOW_1, MIN_BELOW_0].join('; '));
});

test('node selector comes first; role, quantities and requests last', async () => {
  const everything = {
    nodeSelector: { a: 'b' },
    livenessProbeInitialDelay: -1,
    predictor: 'flask',
    roleName: '-',
    resources: { requests: { cpu: '2' }, limits: { cpu: '1', memory: '100m' } },
  };
  expect(await issues(everything)).toBe(
    [
      'node selector map[a:b] equals no node pool: none is configured, leave nodeSelector out',
      LIVENESS,
      'unknown predictor: flask',
      '- must be valid Kubernetes label, i.e. match this pattern: ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
      'validation of memory limit is failed: memory is counted in whole bytes, the suffix m means thousandths',
      'resources.requests: Invalid value: "2": must be less than or equal to cpu limit',
    ].join('; '),
  );
});

test('an id longer than the setting has this one issue', async () => {
  expect(await issues({}, 'A'.repeat(64))).toBe('model deployment ID should not exceed 63 symbols');
  expect(await issues({}, 'a'.repeat(47), { maxDeploymentIdLength: 46 })).toBe(
    'model deployment ID should not exceed 46 symbols',
  );
  expect(await issues({}, '1a')).toBe(
    'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter first, no - at the end',
  );
});

test('more replicas than one are the maximum when none is given', async () => {
  expect((await accept({ minReplicas: '3' })).spec).toMatchObject({ minReplicas: 3, maxReplicas: 3 });
  expect((await accept({ minReplicas: 3, maxReplicas: null })).spec.maxReplicas).toBe(3);
});

test.each([
  ['hub', 'imagePullConnID: entity "hub" is not found'],
  [
    'models-output',
    'imagePullConnID: connection "models-output" has type object-store: name one of type container-registry or cloud-registry',
  ],
])('images are not pulled with the connection %s', async (imagePullConnID, text) =>
  expect(await issues({ imagePullConnID })).toBe(text),
);

test('both spellings of the pull connection are read, one is returned', async () => {
  const named = { imagePullConnectionID: 'docker-ci' };
  expect((await accept(named)).spec.imagePullConnID).toBe('docker-ci');
  const both = await accept({ ...named, imagePullConnID: 'docker-ci' });
  expect(both.spec).not.toHaveProperty('imagePullConnectionID');
  expect(await issues({ imagePullConnectionID: 'docker-ci', imagePullConnID: 'other' })).toBe(
    'imagePullConnID and imagePullConnectionID have different values, send one of them',
  );
});

// prettier-ignore
test.each([
  [{ redact: ["$[?match(@.a, 'x')]"] },           'records.redact: "$[?match(@.a, \'x\')]" has a filter or a slice: use names, positions, [*] and ..'],
  [{ redact: ['email'] },                         'records.redact: "email" is no JSONPath'],
  [{ redact: Array(21).fill('$.a') },             'records.redact has too many paths: at most 20 with 100 parts together'],
  [{ redact: [`$${'.a'.repeat(60)}`, `$${'.a'.repeat(60)}`] }, 'records.redact has too many paths: at most 20 with 100 parts together'],
  [{ retentionDays: -1 },                         'records.retentionDays must be from 0 to 3650, not -1'],
  [{ redact: 'email' },                           'spec.records.redact must be'],
])('records %j are refused', async (records, message) => {
  expect(await issues({ records })).toContain(message);
});

// prettier-ignore
test.each([
  ['shop',                  'spec.roles must be'],
  [[1],                     'spec.roles'],
  [['ok', ''],              'roles has an empty entry: leave it out'],
  [['a b'],                 'a b must be valid Kubernetes label'],
  [Array(51).fill('shop'),  'roles has 51 entries: at most 50'],
])('roles %j are refused', async (roles, message) => {
  expect(await issues({ roles })).toContain(message);
});

test('further roles are stored as sent, and absent without any', async () => {
  expect((await accept({ roles: ['shop', 'till'] })).spec.roles).toEqual(['shop', 'till']);
  expect((await accept({ roles: null })).spec).not.toHaveProperty('roles');
});

test.each(['odahu-ml-server', 'triton', 'tensor-server'])(
  'predictor %s is known and stored as sent',
  async (predictor) => {
    expect((await accept({ predictor })).spec.predictor).toBe(predictor);
  },
);

// prettier-ignore
const WRONG_TYPES = [
  [{ minReplicas: 'two' }, 'spec.minReplicas must be an integer'],
  [{ maxReplicas: 1.5 }, 'spec.maxReplicas must be an integer'],
  [{ maxReplicas: 1e12 }, 'spec.maxReplicas must be an integer of 32 bits'],
  [{ feedback: 'no' }, 'spec.feedback must be true or false'],
  [{ annotations: [], image: 5 }, 'spec.image must be text; spec.annotations must be an object'],
] as const;
test.each(WRONG_TYPES)('%j has a wrong type', async (changed, text) => {
  expect(await issues(changed)).toBe(text);
});

test('a body of another known kind is refused, an unknown word is ignored', async () => {
  const body = { id: 'iris', spec: SPEC };
  expect(await refusal(acceptDeployment({ ...body, kind: 'Connection' }, installation()))).toBe(
    `${PREFIX}kind Connection does not belong here, this collection holds ModelDeployment`,
  );
  expect((await acceptDeployment({ ...body, kind: 'Thing' }, installation())).id).toBe('iris');
});

test.each([null, 5, 'text', [[]]])('a body that is %j is no entity', async (body) => {
  expect(await refusal(acceptDeployment(body, installation()))).toBe('the body must be a JSON object');
});

test.each([
  ['signed', undefined, undefined],
  ['warn', 'warn', undefined],
  ['any', 'any', undefined],
  [undefined, 'any', undefined],
  ['any', 'warn', undefined],
  ['signed', 'signed', undefined],
  [undefined, 'signed', undefined],
  ['any', 'signed', 'imagePolicy must be signed or left out: this installation runs signed images only'],
  ['warn', 'signed', 'imagePolicy must be signed or left out: this installation runs signed images only'],
  ['never', 'warn', 'spec.imagePolicy must be one of signed, warn, any'],
])('an image policy of %s where the installation has %s', async (imagePolicy, installed, problem) => {
  const rules = { imagePolicy: installed };
  if (problem === undefined) {
    expect((await accept({ imagePolicy }, 'iris', rules)).spec.imagePolicy).toBe(imagePolicy);
  } else expect(await issues({ imagePolicy }, 'iris', rules)).toBe(problem);
});
