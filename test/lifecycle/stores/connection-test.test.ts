import { expect, test } from 'vitest';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { type ConnectionTestDeps, createConnectionTest } from '../../../lifecycle/stores/connection-test.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const connection = (type: string) => ({ id: 'it', spec: { type, uri: 'gs://bucket' } }) as Connection;
const refuse = (err: unknown) => async () => {
  throw err;
};
const objects = createMemoryObjects();
const DEPS: ConnectionTestDeps = {
  openStore: () => objects,
  openRepository: async () => ({ manifestDigest: async () => undefined, uploadBytes: async () => undefined }),
  readReferences: async () => 'commit',
};
const run = (type: string, changed: Partial<ConnectionTestDeps> = {}, write = true) =>
  createConnectionTest({ ...DEPS, ...changed })(connection(type), { write });
const steps = (...names: string[]) => names.map((step) => ({ step, passed: true }));

test.each([
  ['gcs', true, steps('reach', 'login', 'read', 'write')],
  ['object-store', false, steps('reach', 'login', 'read')],
  ['ecr', true, steps('reach', 'login', 'read', 'write')],
  ['git', true, steps('reach', 'login', 'read')],
])('a connection of type %s that works, with write %s', async (type, write, checks) => {
  expect(await run(type, {}, write)).toEqual({ id: 'it', passed: true, checks });
  for await (const { key } of objects.list('')) expect.fail(`${key} is left`);
});

const denied = new SlipwayError('storage_denied', 'object storage refused "" (status 403)', {
  cause: Object.assign(new Error(), { name: 'InvalidAccessKeyId' }),
});
const storeThat = (changed: object) => ({ openStore: () => ({ ...createMemoryObjects(), ...changed }) });
async function* listOf(err: unknown): AsyncGenerator<never> {
  yield await refuse(err)();
}
test.each([
  [
    's3',
    storeThat({ list: () => listOf(denied) }),
    'login',
    'object storage refused "" (status 403): InvalidAccessKeyId',
  ],
  [
    's3',
    storeThat({ list: () => listOf(new SlipwayError('not_found', 'bucket "a" is not found')) }),
    'read',
    'bucket "a" is not found',
  ],
  ['s3', storeThat({ put: refuse(denied) }), 'write', 'object storage refused "" (status 403): InvalidAccessKeyId'],
  [
    'git',
    { readReferences: refuse(new SlipwayError('run_failed', 'fatal: Authentication failed')) },
    'login',
    'fatal: Authentication failed',
  ],
  [
    'git',
    { readReferences: refuse(new SlipwayError('url.not_allowed', 'a has a private address')) },
    'reach',
    'a has a private address',
  ],
  ['git', { readReferences: refuse(new Error('secret words')) }, 'reach', 'the test failed: see the log of the API'],
  [
    'git',
    { readReferences: () => new Promise(() => undefined), limitMs: 20 },
    'reach',
    'no answer within 0.02 seconds',
  ],
] as const)('%s fails, and the step says why: %#', async (type, changed, step, reason) => {
  const { passed, checks } = await run(type, changed);
  expect([passed, checks.at(-1)]).toEqual([false, { step, passed: false, reason }]);
  expect(checks.slice(0, -1).every((check) => check.passed)).toBe(true);
});
