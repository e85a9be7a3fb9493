import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  argumentProblems,
  propertiesOf,
  REST_ARGUMENTS,
  serverVariables,
} from '../../../lifecycle/kinds/packaging-arguments.js';

const SETTINGS = readFileSync('runtime/slipway_server/settings.py', 'utf8');

/** `'PORT': ('port', 5000, 1024, 65535),` of the model server's settings. */
function serverBounds(variable: string): object | undefined {
  const row = new RegExp(`'${variable}': \\('\\w+', (\\d+), (\\d+), (\\d+)\\)`).exec(SETTINGS);
  return row ? { default: Number(row[1]), minimum: Number(row[2]), maximum: Number(row[3]) } : undefined;
}

test('the model server has the defaults and bounds of the packaging arguments', () => {
  const integers = Object.values(REST_ARGUMENTS).filter((row) => row.type === 'integer');
  expect(integers.map(({ variable }) => variable)).toEqual(['PORT', 'TIMEOUT', 'WORKERS', 'THREADS']);
  for (const { variable, default: value, minimum, maximum } of integers) {
    expect([variable, serverBounds(variable)]).toEqual([variable, { default: value, minimum, maximum }]);
  }
  expect(SETTINGS).toContain(`environ.get('HOST') or '${REST_ARGUMENTS.host.default}'`);
});

test('every argument of the server reaches it as a variable, and no other does', () => {
  expect(serverVariables({ host: '::', port: 8_080, timeout: 5, workers: 2, threads: 8 })).toEqual({
    HOST: '::',
    PORT: '8080',
    TIMEOUT: '5',
    WORKERS: '2',
    THREADS: '8',
  });
});

test.each([
  [{ port: 1_024, timeout: 3_600, workers: 64, threads: 256 }, []],
  [{ port: 1_023 }, ['port: Must be greater than or equal to 1024']],
  [{ threads: 257 }, ['threads: Must be less than or equal to 256']],
  [{ host: '-x' }, ["host: Does not match pattern '^[A-Za-z0-9:][A-Za-z0-9.:-]{0,252}$'"]],
  [{ variable: 'PORT' }, ['(root): Additional property variable is not allowed']],
])('the schema of the built-in packager has the bounds of the table: %j', (given, problems) => {
  expect(argumentProblems({ properties: propertiesOf(REST_ARGUMENTS), required: [] }, given)).toEqual(problems);
});

test('the fragments that clients see hold JSON schema only', () => {
  const keys = propertiesOf(REST_ARGUMENTS).flatMap(({ parameters }) => parameters.map(({ name }) => name));
  expect([...new Set(keys)].sort()).toEqual(['default', 'maximum', 'minimum', 'pattern', 'type']);
});
