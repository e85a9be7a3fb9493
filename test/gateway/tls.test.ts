import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followTls, readTls } from '../../gateway/tls-files.js';
import { writeCertificate } from './certificate.js';
import { eventually, startEdge, startModel } from './edge.js';
import { silent } from './silent.js';

let folder: string;
let paths: { cert: string; key: string };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-tls-'));
  paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
});
afterEach(() => rm(folder, { recursive: true }));

/** One request on a connection of its own, which trusts this certificate alone. */
const ask = (url: string, ca: string) =>
  new Promise<string>((resolve, reject) => {
    get(`${url.replace('http:', 'https:')}/health`, { ca, agent: false }, (reply) => {
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += String(chunk))).on('end', () => resolve(text));
    }).on('error', reject);
  });

test('the gateway ends TLS, says so to the API, and takes up a renewed certificate', async () => {
  const first = await writeCertificate(folder);
  const files = await readTls(paths);
  const api = await startModel(({ headers }) => ({ body: String(headers['x-forwarded-proto']) }));
  const edge = await startEdge([], { apiUrl: api.url, tls: files });
  const stop = followTls(edge.server, {
    paths,
    files: files ?? { cert: '', key: '' },
    log: silent,
    everyMs: 10,
  });
  expect(await ask(edge.url, first)).toBe('https');
  await writeFile(paths.cert, 'half a file');
  const second = await writeCertificate(folder);
  await eventually(() =>
    ask(edge.url, second).then(
      (text) => text === 'https',
      () => false,
    ),
  );
  await expect(ask(edge.url, first)).rejects.toThrow(/self-signed|certificate/);
  stop();
  await edge.stop();
  await api.stop();
});

test('without TLS the API learns that too', async () => {
  const api = await startModel(({ headers }) => ({ body: String(headers['x-forwarded-proto']) }));
  const edge = await startEdge([], { apiUrl: api.url });
  expect(await (await fetch(`${edge.url}/health`, { headers: { 'x-forwarded-proto': 'https' } })).text()).toBe('http');
  await edge.stop();
  await api.stop();
});

test('files that are missing or do not belong together stop the start', async () => {
  expect(await readTls({ cert: undefined, key: undefined })).toBeUndefined();
  await writeCertificate(folder);
  const { cert } = (await readTls(paths)) ?? {};
  await expect(readTls({ ...paths, key: undefined })).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(readTls({ ...paths, key: join(folder, 'none') })).rejects.toMatchObject({ code: 'validation_failed' });
  await writeCertificate(folder);
  await writeFile(paths.cert, String(cert));
  await expect(readTls(paths)).rejects.toMatchObject({ code: 'validation_failed' });
});
