import { describe, expect, test } from 'vitest';
import { builtInPackagers, builtInToolchains } from '../../../lifecycle/kinds/built-in.js';
import { argumentProblems, withDefaultArguments } from '../../../lifecycle/kinds/packaging-arguments.js';
import { acceptPackagingIntegration } from '../../../lifecycle/validation/packaging-integration-validation.js';
import { acceptToolchainIntegration } from '../../../lifecycle/validation/toolchain-integration-validation.js';
import { findPackagingIntegration, findToolchain } from '../../../lifecycle/validation/find-integration.js';
import { installation, refusal, SETTINGS } from '../kinds/installation.js';

const CONTEXT = installation();
const property = (name: string, fragment: Readonly<Record<string, unknown>>) => ({
  name,
  parameters: Object.entries(fragment).map(([key, value]) => ({ name: key, value })),
});

test('a toolchain needs a program and an image', async () => {
  expect(await refusal(acceptToolchainIntegration({}, CONTEXT))).toBe(
    'Validation of toolchain integration is failed: ID is not valid; empty "ID"; empty entrypoint; empty defaultImage',
  );
  const spec = { entrypoint: 'run', defaultImage: 'i:1', additionalEnvironments: { A: 1 } };
  expect(await acceptToolchainIntegration({ id: 'own', spec }, CONTEXT)).toEqual({
    id: 'own',
    spec: { ...spec, additionalEnvironments: { A: '1' } },
  });
});

test('a packager is judged in the order of the guide', async () => {
  const targets = [{}, { name: 'push', connectionTypes: [] }, { name: 'pull', connectionTypes: ['docker', 'nfs'] }];
  const args = { properties: [property('port', { type: 'whole' })] };
  const body = { id: 'Own', spec: { schema: { targets, arguments: args } } };
  const message = await refusal(acceptPackagingIntegration(body, CONTEXT));
  expect(message).toMatch(
    /^Validation of packaging integration is failed: ID is not valid: use [^;]+; empty entrypoint; empty defaultImage; one of target has empty name; {2}target must have at least one connection type; push target must have at least one connection type; pull target have unknown connection type: nfs; arguments have not valid json schema: \S/,
  );
});

test('what is built in passes its own rules', async () => {
  for (const { id, spec } of builtInToolchains(SETTINGS)) {
    expect(await acceptToolchainIntegration({ id, spec }, CONTEXT)).toEqual({ id, spec });
  }
  for (const { id, spec } of builtInPackagers(SETTINGS)) {
    expect(await acceptPackagingIntegration({ id, spec }, CONTEXT)).toEqual({ id, spec });
  }
});

describe('arguments', () => {
  // prettier-ignore
  const properties = [
    property('port',  { type: 'integer', minimum: 1, maximum: 9, default: 5 }),
    property('ratio', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.5 }),
    property('mode',  { enum: ['a', 'b'] }),
    property('name',  { type: 'string', minLength: 2, maxLength: 3, pattern: '^x' }),
    property('list',  { type: 'array', minItems: 1, maxItems: 2, items: { type: 'object', properties: { a: { type: 'boolean' } } } }),
    property('any',   { anyOf: [{ type: 'null' }] }),
  ];
  const spec = { properties, required: ['port'] };

  // prettier-ignore
  const TEXTS = [
    [{}, '(root): port is required'],
    [{ port: 'x' }, 'port: Invalid type. Expected: integer, given: string'],
    [{ port: 1.5 }, 'port: Invalid type. Expected: integer, given: number'],
    [{ port: 0 }, 'port: Must be greater than or equal to 1'],
    [{ port: 10 }, 'port: Must be less than or equal to 9'],
    [{ port: 1, ratio: 0 }, 'ratio: Must be greater than 0'],
    [{ port: 1, ratio: 1 }, 'ratio: Must be less than 1'],
    [{ port: 1, ratio: 0.3 }, 'ratio: Must be a multiple of 0.5'],
    [{ port: 1, mode: 'c' }, 'mode: mode must be one of the following: "a", "b"'],
    [{ port: 1, name: 'x' }, 'name: String length must be greater than or equal to 2'],
    [{ port: 1, name: 'xxxx' }, 'name: String length must be less than or equal to 3'],
    [{ port: 1, name: 'yx' }, "name: Does not match pattern '^x'"],
    [{ port: 1, list: [] }, 'list: Array must have at least 1 items'],
    [{ port: 1, list: [{}, {}, {}] }, 'list: Array must have at most 2 items'],
    [{ port: 1, list: [{ a: [] }] }, 'list.0.a: Invalid type. Expected: boolean, given: array'],
    [{ port: 1, foo: 1 }, '(root): Additional property foo is not allowed'],
  ] as const;
  test.each(TEXTS)('%j', (given, text) => {
    expect(argumentProblems(spec, given)).toEqual([text]);
  });

  test('every problem is named, a choice with its parts', () => {
    expect(argumentProblems(spec, { port: 1, any: 1 })).toEqual([
      'any: Invalid type. Expected: null, given: integer',
      'any: Must validate at least one schema (anyOf)',
    ]);
  });

  test('arguments of the client win over the defaults', () => {
    expect(withDefaultArguments(spec, { mode: 'a' })).toEqual({ port: 5, mode: 'a' });
    expect(withDefaultArguments(spec, { port: 7 })).toEqual({ port: 7 });
  });

  test('the specification fixes the defaults of container-rest', () => {
    const [rest] = builtInPackagers(SETTINGS);
    expect(rest && withDefaultArguments(rest.spec.schema.arguments, {})).toEqual({
      imageName: '{{ Name }}-{{ Version }}:{{ RandomUUID }}',
      port: 5000,
      timeout: 60,
      workers: 1,
      threads: 4,
      host: '0.0.0.0',
      dockerfileBaseImage: 'python:3.6',
    });
  });
});

test('an alias answers the built-in entity in its own words', async () => {
  const { lookups } = installation();
  const found = await findPackagingIntegration(lookups, 'docker-rest');
  expect(found).toMatchObject({ id: 'docker-rest', spec: { defaultImage: 'builder:1' } });
  expect(found?.spec.schema.targets.map(({ name, connectionTypes }) => [name, ...connectionTypes])).toEqual([
    ['docker-push', 'docker', 'ecr'],
    ['docker-pull', 'docker', 'ecr'],
  ]);
  expect(await findToolchain(lookups, 'mlflow')).toMatchObject({ id: 'mlflow', spec: { defaultImage: 'toolchain:1' } });
  expect(await findToolchain(lookups, 'other')).toBeUndefined();
  expect(await findPackagingIntegration(lookups, 'docker-other')).toBeUndefined();
});
