import { expect, test } from 'vitest';
import { comparePackages, normalizeName } from '../../../activities/packaging/packages.js';
import { mergeArguments } from '../../../activities/packaging/packaging-arguments.js';
import { mirrored } from '../../../activities/packaging/registry.js';
import { isClose } from '../../../activities/packaging/smoke-test.js';
import { REST_ARGUMENTS } from '../../../lifecycle/kinds/packaging-arguments.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import { newPackaging } from '../shared/resources.js';

test('only what differs from the base is installed; the version of the model wins', () => {
  const base = { numpy: '1.26.0', pandas: '2.2.3', 'scikit-learn': '1.5.0' };
  expect(comparePackages(['Scikit_Learn==1.5.0', 'numpy==2.1.0', 'joblib==1.4', 'pandas[test]==2.2.3'], base)).toEqual({
    added: ['joblib 1.4'],
    changed: ['numpy 1.26.0 -> 2.1.0'],
    kept: ['scikit-learn', 'pandas'],
    install: ['joblib==1.4', 'numpy==2.1.0'],
  });
  expect(normalizeName('Foo.-_Bar')).toBe('foo-bar');
});

const COMPLETE = {
  imageName: 'x',
  host: '0.0.0.0',
  port: 5_000,
  timeout: 60,
  workers: 1,
  threads: 4,
  dockerfileBaseImage: 'b',
};
const integration = (defaults: Record<string, unknown>) => {
  const properties = Object.entries(defaults).map(([name, value]) => ({
    name,
    parameters: [{ name: 'default', value }],
  }));
  return { spec: { schema: { arguments: { properties, required: [] } } } } as unknown as PackagingIntegration;
};
const merge = (given: Record<string, unknown>, defaults?: Record<string, unknown>) =>
  mergeArguments(
    REST_ARGUMENTS,
    newPackaging('p', { integrationName: 'rest', arguments: given }),
    defaults && integration(defaults),
  );

test('what was sent wins over the defaults of the integration', () => {
  expect(merge({ port: 8_080 }, COMPLETE)).toEqual({ ...COMPLETE, port: 8_080 });
  expect(merge(COMPLETE)).toEqual(COMPLETE);
});

test('the old default base image of the specification counts where it is named; an integration may have its own', () => {
  const { dockerfileBaseImage: _, ...rest } = COMPLETE;
  const old = { ...COMPLETE, dockerfileBaseImage: 'python:3.6' };
  expect(merge({}, old)).toEqual(rest);
  expect(merge({ dockerfileBaseImage: 'python:3.6' }, old)).toEqual(old);
  expect(merge({}, COMPLETE)).toEqual(COMPLETE);
  expect(merge({}, rest)).toEqual(rest);
});

test.each([
  { port: 80 },
  { port: '5000' },
  { workers: 0 },
  { threads: 257 },
  { timeout: 1.5 },
  { dockerfileBaseImage: '' },
])('arguments that do not fit are named: %j', (wrong) => {
  const [name = ''] = Object.keys(wrong);
  expect(() => merge(wrong, COMPLETE)).toThrow(new RegExp(`"rest" do not fit: ${name}: `));
});

test('missing arguments of an integration that was deleted are named', () => {
  expect(() => merge({})).toThrow(/imageName: .*; host: /);
});

test('a mirror replaces exactly one reference', () => {
  expect(mirrored('python:3.6', { 'python:3.6': 'local/python' })).toBe('local/python');
  expect(mirrored('python:3.7', { 'python:3.6': 'local/python' })).toBe('python:3.7');
});

test.each([
  [1, 1 + 1e-7, true],
  [1, 1 + 1e-5, false],
  [1e9, 1e9 + 100, true],
  [0, 1e-7, true],
  [{ prediction: [[1, 2]] }, { prediction: [[1, 2.0000001]] }, true],
  [[1, 2], [1, 2, 3], false],
  [[1], { 0: 1 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  ['a', 'a', true],
  ['1', 1, false],
  [null, null, true],
  [null, {}, false],
  [NaN, 1, false],
])('%j against %j: %s', (got, expected, close) => {
  expect(isClose(got, expected)).toBe(close);
});
