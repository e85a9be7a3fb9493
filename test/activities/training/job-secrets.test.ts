import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import { expect, test } from 'vitest';
import { jobContainer, jobDescription } from '../../../activities/training/training-job.js';
import { putSecrets, readJobSecrets, readMaskedValues } from '../../../activities/training/job-secrets.js';
import type { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { stored } from '../../lifecycle/kinds/installation.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newTraining } from '../shared/resources.js';

const VALUE = 's3cret-5f2c';
const ENVS = [
  { name: 'PLAIN', value: 'x' },
  { name: 'TOKEN', value: '', valueFrom: { connection: 'hub', field: 'password' } },
];
const training = newTraining('wine', { toolchain: 'ml', resources: { limits: {}, requests: {} }, envs: ENVS });

const depsOf = (spec: Partial<ConnectionSpec> | undefined) => ({
  connections: {
    get: async (id: string): Promise<Connection | undefined> =>
      spec && stored('Connection', id, { type: 'docker', uri: 'hub', vital: false, ...spec }, {}),
  },
  openSecret: (sealed: string, place: string) => (place === 'Connection/hub/password' ? sealed.slice(2) : 'wrong'),
});
const ALLOWED: Partial<ConnectionSpec> = { password: `v:${VALUE}`, usableIn: ['training'] };

test('a secret is a file of the job that its user alone reads, and in nothing else of the container', async () => {
  const { engine, containers } = createMemoryEngine();
  const spec = jobContainer(training, { entrypoint: undefined, image: 'image', additional: {} });
  const source = { key: 'k', digest: 'd', commit: '', dataDigests: {} };
  const description = JSON.stringify(jobDescription(training, source));
  expect(description).toContain('"secrets":["TOKEN"]');
  expect(spec.env.PLAIN).toBe('x');
  expect(Object.keys(spec.env)).not.toContain('TOKEN');

  const { handle } = await engine.create(spec);
  const secrets = await readJobSecrets(depsOf(ALLOWED), training);
  await putSecrets(engine, handle, secrets);
  expect(JSON.stringify(spec) + description).not.toContain(VALUE);
  const [archive] = [...containers.values()][0]?.archives ?? [];
  expect(archive?.path).toBe('/workspace/.slipway');
  const found: object[] = [];
  for await (const entry of Readable.from([archive?.bytes]).pipe(tar.extract())) {
    const { name, mode, uid, type } = entry.header;
    found.push({ name, mode, uid, type, text: (await buffer(entry)).toString() });
  }
  expect(found).toEqual([
    { name: 'secrets/', mode: 0o700, uid: 10_001, type: 'directory', text: '' },
    { name: 'secrets/TOKEN', mode: 0o400, uid: 10_001, type: 'file', text: VALUE },
  ]);
});

test.each([
  [{ ...ALLOWED, usableIn: [] }, 'environment variable TOKEN: secrets of "hub" are not for trainings'],
  [{ usableIn: ['training' as const] }, 'environment variable TOKEN: connection "hub" has no secret "password"'],
  [undefined, 'environment variable TOKEN: connection "hub" was deleted'],
  [{ ...ALLOWED, password: 'v:\uFFFD' }, 'environment variable TOKEN: the secret is no text'],
])('a job does not start when its connection no longer allows it: %j', async (spec, message) => {
  await expect(readJobSecrets(depsOf(spec), training)).rejects.toMatchObject({
    code: 'run_failed',
    detail: { reason: 'SpecInvalid' },
    message: expect.stringContaining(message),
  });
});

test('the log is masked also when the connection does not allow the secret any more', async () => {
  expect(await readMaskedValues(depsOf({ ...ALLOWED, usableIn: [] }), training)).toEqual([VALUE]);
  expect(await readMaskedValues(depsOf(undefined), training)).toEqual([]);
});
