import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { manifestDigest } from '../../../activities/packaging/registry-manifest.js';
import { PATIENT } from '../../patient-server.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const DIGEST = `sha256:${'a'.repeat(64)}`;
const AUTH = { username: 'ci', password: 'pass:word', serveraddress: 'registry.example' };
const BASIC = `Basic ${Buffer.from('ci:pass:word').toString('base64')}`;
const signal = new AbortController().signal;

/** A registry on this machine that answers as a test says; requests are noted. */
async function open(answer: (request: IncomingMessage, response: ServerResponse, url: string) => void) {
  const requests: { method: string; url: string; authorization: string | undefined }[] = [];
  const server = createServer(PATIENT, (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, authorization: headers.authorization });
    answer(request, response, `http://${host()}`);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host: host(), requests };
}
const found = (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(200, { 'docker-content-digest': DIGEST }).end();

test.each([
  ['models/wine:3', '/v2/models/wine/manifests/3'],
  ['models/wine', '/v2/models/wine/manifests/latest'],
  ['wine:3', '/v2/wine/manifests/3'],
  [`wine:3@${DIGEST}`, `/v2/wine/manifests/${DIGEST}`],
])('the manifest of %s is asked for at %s', async (name, path) => {
  const { host, requests } = await open(found);
  expect(await manifestDigest({ image: `${host}/${name}`, auth: undefined, signal })).toBe(DIGEST);
  expect(requests).toEqual([{ method: 'HEAD', url: path, authorization: undefined }]);
});

test('credentials are sent as they are', async () => {
  const { host, requests } = await open(found);
  await manifestDigest({ image: `${host}/wine:3`, auth: AUTH, signal });
  expect(requests[0]?.authorization).toBe(BASIC);
});

test.each([
  [200, {}, ''],
  [404, {}, undefined],
])('status %i without a digest: %j', async (status, headers, expected) => {
  const { host } = await open((_, response) => void response.writeHead(status, headers).end());
  expect(await manifestDigest({ image: `${host}/wine:3`, auth: undefined, signal })).toBe(expected);
});

test.each([401, 403, 429, 500])('status %i says nothing of the image: it is asked for again', async (status) => {
  const { host } = await open((_, response) => void response.writeHead(status).end());
  const asked = manifestDigest({ image: `${host}/wine:3`, auth: AUTH, signal });
  await expect(asked).rejects.toMatchObject({
    code: 'unavailable',
    publicMessage: expect.stringContaining(`${status}`),
  });
});

test.each([
  ['token', { token: 't1' }],
  ['access_token', { access_token: 't1' }],
])('a registry that wants a token gets the one of its realm, by its member %s', async (_, reply) => {
  const { host, requests } = await open((request, response, url) => {
    if (request.url?.startsWith('/token')) return void response.end(JSON.stringify(reply));
    if (request.headers.authorization === 'Bearer t1') return found(request, response);
    const challenge = `Bearer realm="${url}/token",service="reg",scope="repository:wine:pull"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  expect(await manifestDigest({ image: `${host}/wine:3`, auth: AUTH, signal })).toBe(DIGEST);
  expect(requests.map(({ authorization }) => authorization)).toEqual([BASIC, BASIC, 'Bearer t1']);
  expect(requests[1]?.url).toBe('/token?service=reg&scope=repository%3Awine%3Apull');
});

test('a token that is refused is asked for once', async () => {
  const { host, requests } = await open((request, response, url) => {
    if (request.url?.startsWith('/token')) return void response.end('{}');
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${url}/token"` }).end();
  });
  await expect(manifestDigest({ image: `${host}/wine:3`, auth: undefined, signal })).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(requests).toHaveLength(3);
});

test('a registry that does not answer, and a canceled request', async () => {
  const { host } = await open((request) => void request.socket.destroy());
  const image = `${host}/wine:3`;
  await expect(manifestDigest({ image, auth: undefined, signal })).rejects.toMatchObject({ code: 'unavailable' });
  const canceled = AbortSignal.abort(new Error('canceled'));
  await expect(manifestDigest({ image, auth: undefined, signal: canceled })).rejects.toBeInstanceOf(Error);
});

test('a redirect is not followed, and credentials go nowhere else', async () => {
  const other = await open(found);
  const { host } = await open(
    (_, response) => void response.writeHead(307, { location: `http://${other.host}/v2/wine/manifests/3` }).end(),
  );
  const asked = manifestDigest({ image: `${host}/wine:3`, auth: AUTH, signal });
  await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  expect(other.requests).toEqual([]);
});

test('a token realm on another host gets no credentials', async () => {
  const realm = await open((_, response) => void response.end(JSON.stringify({ token: 'anonymous' })));
  // Not loopback by its name, and answered by this machine.
  const elsewhere = `http://0.0.0.0:${realm.host.split(':')[1]}/token`;
  const { host, requests } = await open((request, response) =>
    request.headers.authorization === 'Bearer anonymous'
      ? found(request, response)
      : void response.writeHead(401, { 'www-authenticate': `Bearer realm="${elsewhere}",service="s",scope="x"` }).end(),
  );
  expect(await manifestDigest({ image: `${host}/wine:3`, auth: AUTH, signal })).toBe(DIGEST);
  expect(realm.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  expect(requests.map(({ authorization }) => authorization)).toEqual([BASIC, 'Bearer anonymous']);
});
