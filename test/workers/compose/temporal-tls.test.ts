import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { connectionOptions } from '../../../workers/compose/temporal.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-temporal-'));
  for (const name of ['cert', 'key', 'ca']) await writeFile(join(folder, name), name);
});
afterAll(() => rm(folder, { recursive: true }));
const optionsOf = (environment: Record<string, string>) => connectionOptions(parseSettings(environment));

test('Temporal is reached with a client certificate and an authority of its own', () => {
  const [cert, key, ca] = ['cert', 'key', 'ca'].map((name) => join(folder, name)) as [string, string, string];
  expect(optionsOf({ TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key, TEMPORAL_TLS_CA: ca }).tls).toEqual({
    clientCertPair: { crt: Buffer.from('cert'), key: Buffer.from('key') },
    serverRootCACertificate: Buffer.from('ca'),
  });
  expect(optionsOf({ TEMPORAL_TLS_CA: ca }).tls).toEqual({ serverRootCACertificate: Buffer.from('ca') });
});

test.each([
  [{ TEMPORAL_TLS_CERT: '/cert' }, 'belong together'],
  [{ TEMPORAL_TLS_CA: '/nowhere/ca.pem' }, 'TEMPORAL_TLS_CA cannot be read'],
])('%o stops the start: %s', (environment: Record<string, string>, message) => {
  expect(() => optionsOf(environment)).toThrow(message);
});
