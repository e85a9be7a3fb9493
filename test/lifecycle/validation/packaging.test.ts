import { expect, test } from 'vitest';
import { acceptPackaging } from '../../../lifecycle/validation/packaging-validation.js';
import { installation, refusal } from '../kinds/installation.js';

const PREFIX = 'Validation of model packaging is failed: ';
const CONNECTIONS = { code: { type: 'git', uri: 'git@h:p' }, hub: { type: 'docker', uri: 'hub.test/team' } };
const SPEC = { artifactName: 'iris.zip', integrationName: 'container-rest' };
const accept = (changed: object, id = '1-iris') =>
  acceptPackaging({ id, spec: { ...SPEC, ...changed } }, installation({ connections: CONNECTIONS }));
const issues = async (changed: object, id?: string) => {
  const message = await refusal(accept(changed, id));
  expect(message.startsWith(PREFIX)).toBe(true);
  return message.slice(PREFIX.length);
};

test('every default is filled in; arguments are stored as sent', async () => {
  expect(await accept({ arguments: { port: 8080, host: null } })).toEqual({
    id: '1-iris',
    spec: {
      ...SPEC,
      arguments: { port: 8080 },
      targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
      image: 'builder:1',
      resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
      outputConnection: 'models-output',
      nodeSelector: {},
    },
  });
});

test('what we fill in follows the words of the request', async () => {
  const { spec } = await accept({ integrationName: 'docker-rest' });
  expect(spec).toMatchObject({
    integrationName: 'docker-rest',
    targets: [{ name: 'docker-push', connectionName: 'docker-ci' }],
  });
});

test('a target may be named in either vocabulary', async () => {
  const targets = [{ name: 'docker-push', connectionName: 'hub' }];
  expect((await accept({ targets })).spec.targets).toEqual(targets);
});

test('the fields are judged in the order of the guide', async () => {
  const everything = {
    artifactName: '',
    resources: { requests: { cpu: '3', memory: '1' }, limits: { cpu: '2' } },
    outputConnection: 'nothing',
    nodeSelector: { a: 'b' },
    arguments: { port: '80', foo: 1 },
    targets: [
      { name: 'somewhere', connectionName: 'hub' },
      { name: 'container-pull', connectionName: 'code' },
      { name: 'container-push' },
    ],
  };
  expect(await issues(everything, 'Iris')).toBe(
    [
      'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter or digit first, no - at the end',
      'empty artifactName',
      'validation of memory request is failed: must be at least 6Mi',
      '"Spec."OutputConnection"" validation errors: entity "nothing" is not found',
      'node selector map[a:b] equals no node pool: none is configured, leave nodeSelector out',
      'resources.requests: Invalid value: "3": must be less than or equal to cpu limit',
      'argument validation is failed: [(root): Additional property foo is not allowed port: Invalid type. Expected: integer, given: string]',
      'cannot find somewhere target in packaging integration container-rest',
      'container-pull target has not valid connection type git for packaging integration container-rest',
      'entity "" is not found',
    ].join('; '),
  );
});

// prettier-ignore
const REFUSED = [
  [{ integrationName: null }, 'empty integrationName'],
  [{ integrationName: 'nope' }, 'packaging integration with name .spec.integrationName = "nope" is not found'],
  [{ arguments: { port: '5000' } }, 'argument validation is failed: [port: Invalid type. Expected: integer, given: string]'],
  [{ arguments: { foo: 1 } }, 'argument validation is failed: [(root): Additional property foo is not allowed]'],
  [{ arguments: { port: 80 } }, 'argument validation is failed: [port: Must be greater than or equal to 1024]'],
  [{ arguments: { workers: 65 } }, 'argument validation is failed: [workers: Must be less than or equal to 64]'],
  [{ arguments: { imageName: '{{ Secret }}' } }, 'argument validation is failed: [imageName: unknown variable "Secret", known are Name, Version, RandomUUID]'],
  [{ arguments: { imageName: 'other.test/iris' } }, 'argument validation is failed: [imageName: image name "other.test/iris:latest": a full name must lie under the uri of the push connection]'],
  [{ arguments: 'port' }, 'spec.arguments must be an object'],
  [{ targets: [{ name: 'container-push', connectionName: 'hub' }, { name: 'docker-push', connectionName: 'hub' }] }, 'cannot find docker-push target in packaging integration container-rest'],
  [{ targets: [{ name: {}, connectionName: 'hub' }] }, 'spec.targets.0.name must be text'],
] as const;
test.each(REFUSED)('%j is refused', async (changed, text) => {
  expect(await issues(changed)).toBe(text);
});

test('a required target without default is asked for, in the words of the request', async () => {
  const { lookups, rules } = installation();
  const builtIn = await lookups.packagingIntegration('container-rest');
  if (builtIn === undefined) throw new Error('it is built in');
  const targets = builtIn.spec.schema.targets.map((target) => ({ ...target, default: undefined }));
  const own = { ...builtIn, spec: { ...builtIn.spec, schema: { ...builtIn.spec.schema, targets } } };
  const packagingIntegration = async (id: string) => (id === 'container-rest' ? own : undefined);
  const context = { lookups: { ...lookups, packagingIntegration }, rules };
  const asked = (integrationName: string) =>
    refusal(acceptPackaging({ id: 'a', spec: { ...SPEC, integrationName } }, context));
  expect(await asked('container-rest')).toBe(`${PREFIX}[container-push] are required targets`);
  expect(await asked('docker-rest')).toBe(`${PREFIX}[docker-push] are required targets`);
});

test('a fixed full name under the push connection is allowed', async () => {
  const changed = {
    arguments: { imageName: 'hub.test/team/iris:1' },
    targets: [{ name: 'container-push', connectionName: 'hub' }],
  };
  expect((await accept(changed)).spec.arguments).toEqual({ imageName: 'hub.test/team/iris:1' });
});

test('a packaging id may start with a digit, not end with a dash, and has at most 63 characters', async () => {
  expect((await accept({}, '1'.repeat(63))).id).toHaveLength(63);
  expect(await issues({}, '1'.repeat(64))).toBe(
    'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter or digit first, no - at the end',
  );
  expect(await issues({}, 'a-')).toBe(
    'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter or digit first, no - at the end',
  );
});
