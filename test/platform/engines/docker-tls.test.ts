import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { writeCertificate } from '../../gateway/certificate.js';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'slipway-docker-'))));
afterEach(() => rm(folder, { recursive: true }));

test('an engine over tcp that wants a client certificate gets it', async () => {
  const ca = await writeCertificate(folder);
  const tls = { cert: ca, key: await readFile(join(folder, 'key.pem')), ca, requestCert: true };
  const server = createServer(tls, (_req, res) => void res.end('OK'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(String(await connectDocker(host, folder).ping())).toBe('OK');
  await expect(connectDocker(host).ping()).rejects.toThrow();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

test('a folder without certificates stops the start, and names the file', () => {
  expect(() => connectDocker('tcp://127.0.0.1:2376', folder)).toThrow('DOCKER_CERT_PATH has no readable ca.pem');
});
