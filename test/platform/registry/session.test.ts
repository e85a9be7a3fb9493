import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { referenceIn } from '../../../platform/engines/image-reference.js';
import type { RegistryAuth } from '../../../platform/engines/driver.js';
import { parseNetwork } from '../../../platform/kinds/network-addresses.js';
import { createSession } from '../../../platform/registry/session.js';
import { createRegistries } from '../../../platform/registry/client.js';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
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
const { signal } = new AbortController();

/** A server on this machine that answers as a test says; requests are noted. */
async function listen(answer: (request: IncomingMessage, response: ServerResponse, url: string) => void) {
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

interface Access {
  auth?: RegistryAuth;
  own?: string;
  networks?: string[];
  pausesMs?: number[];
  signal?: AbortSignal;
}

function open(
  image: string,
  { auth, own = image.split('/')[0] ?? '', pausesMs = [], networks = [], ...rest }: Access = {},
) {
  const rules = { own, images: [], networks: networks.flatMap((range) => parseNetwork(range) ?? []) };
  const registries = createRegistries(rules, pausesMs);
  return registries.open(image, { auth, signal, reason: 'ImagePullFailed', ...rest });
}
const digestOf = (image: string, access: Access = {}) => open(image, access).manifestDigest(referenceIn(image));

test.each([
  ['models/wine:3', '/v2/models/wine/manifests/3'],
  ['models/wine', '/v2/models/wine/manifests/latest'],
  ['wine:3', '/v2/wine/manifests/3'],
  [`wine:3@${DIGEST}`, `/v2/wine/manifests/${DIGEST}`],
])('the manifest of %s is asked for at %s', async (name, path) => {
  const { host, requests } = await listen(found);
  expect(await digestOf(`${host}/${name}`)).toBe(DIGEST);
  expect(requests).toEqual([{ method: 'HEAD', url: path, authorization: undefined }]);
});

test.each([
  [200, {}, ''],
  [404, {}, undefined],
])('status %i without a digest: %j', async (status, headers, expected) => {
  const { host } = await listen((_, response) => void response.writeHead(status, headers).end());
  expect(await digestOf(`${host}/wine:3`)).toBe(expected);
});

test.each([429, 500, 503])('after status %i it is asked again, and then waited for', async (status) => {
  const statuses = [status, status];
  const { host, requests } = await listen((request, response) => {
    const next = statuses.shift();
    if (next === undefined) found(request, response);
    else response.writeHead(next).end();
  });
  const refused = { code: 'unavailable', detail: { reason: 'ImagePullFailed' } };
  await expect(digestOf(`${host}/wine:3`)).rejects.toMatchObject(refused);
  expect(await digestOf(`${host}/wine:3`, { pausesMs: [1] })).toBe(DIGEST);
  expect(requests).toHaveLength(3);
});

test.each([401, 403])('status %i is final; its sentence says what to check', async (status) => {
  const errors = { errors: [{ code: 'DENIED', message: 'not for you' }] };
  const { host } = await listen((_, response) => void response.writeHead(status).end(JSON.stringify(errors)));
  await expect(open(`${host}/wine`, { auth: AUTH }).manifest('3')).rejects.toMatchObject({
    code: 'run_failed',
    message: `registry ${host} could not give the manifest 3 of wine: it answers ${status}, "DENIED not for you"; check the credentials of its connection`,
  });
});

test.each([
  ['token', { token: 't1' }],
  ['access_token', { access_token: 't1' }],
])('a registry that wants a token gets the one of its realm, by its member %s', async (_, reply) => {
  const { host, requests } = await listen((request, response, url) => {
    if (request.url?.startsWith('/token')) return void response.end(JSON.stringify(reply));
    if (request.headers.authorization === 'Bearer t1') return found(request, response);
    const challenge = `Bearer realm="${url}/token",service="reg",scope="repository:wine:pull"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  expect(await digestOf(`${host}/wine:3`, { auth: AUTH })).toBe(DIGEST);
  expect(requests.map(({ authorization }) => authorization)).toEqual([BASIC, BASIC, 'Bearer t1']);
  expect(requests[1]?.url).toBe('/token?service=reg&scope=repository%3Awine%3Apull');
});

test('a token that is refused is asked for once', async () => {
  const { host, requests } = await listen((request, response, url) => {
    if (request.url?.startsWith('/token')) return void response.end('{}');
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${url}/token"` }).end();
  });
  await expect(digestOf(`${host}/wine:3`)).rejects.toMatchObject({ code: 'run_failed' });
  expect(requests).toHaveLength(3);
});

test('a registry that hangs is asked once: the run that asks comes again, and holds no place meanwhile', async () => {
  const { host, requests } = await listen(() => undefined);
  const signal = new AbortController().signal;
  const session = createSession({
    name: `${host}/wine`,
    signal,
    reason: 'ImagePullFailed',
    pausesMs: [1, 1],
    readMs: 50,
  });
  const asked = session.askPatiently({ method: 'HEAD', url: 'manifests/3', doing: 'give the manifest 3' });
  await expect(asked).rejects.toMatchObject({ code: 'unavailable', detail: { reason: 'ImagePullFailed' } });
  expect(requests).toHaveLength(1);
});

test('a registry that does not answer is waited for; a canceled request is not', async () => {
  const { host } = await listen((request) => void request.socket.destroy());
  await expect(digestOf(`${host}/wine:3`)).rejects.toMatchObject({ code: 'unavailable' });
  const canceled = new Error('canceled');
  await expect(digestOf(`${host}/wine:3`, { signal: AbortSignal.abort(canceled) })).rejects.toBe(canceled);
});

test('a redirect of a manifest is not followed, and credentials go nowhere else', async () => {
  const other = await listen(found);
  const { host } = await listen(
    (_, response) => void response.writeHead(307, { location: `http://${other.host}/v2/wine/manifests/3` }).end(),
  );
  await expect(digestOf(`${host}/wine:3`, { auth: AUTH })).rejects.toMatchObject({ code: 'run_failed' });
  expect(other.requests).toEqual([]);
});

test('a blob is read where the registry keeps it, without credentials', async () => {
  const content = Buffer.from('a layer');
  const storage = await listen((_, response) => void response.end(content));
  const { host, requests } = await listen(
    (_, response) => void response.writeHead(307, { location: `http://${storage.host}/bucket/layer?signed=1` }).end(),
  );
  const blob = { digest: digestOfBytes(content), size: content.length };
  expect(await buffer(open(`${host}/wine`, { auth: AUTH }).readBlob(blob))).toEqual(content);
  expect(requests.map(({ authorization }) => authorization)).toEqual([BASIC]);
  expect(storage.requests).toEqual([{ method: 'GET', url: '/bucket/layer?signed=1', authorization: undefined }]);
});

test.each(['token realm', 'redirect'])('a %s leads to no address that is not allowed', async (way) => {
  const { host } = await listen((_, response) =>
    way === 'redirect'
      ? void response.writeHead(307, { location: 'http://0.0.0.0:1/metadata' }).end()
      : void response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://0.0.0.0:1/token"' }).end(),
  );
  await expect(open(`${host}/wine`).hasBlob(DIGEST)).rejects.toMatchObject({
    code: 'run_failed',
    message: expect.stringContaining('0.0.0.0 is an unspecified address; SLIPWAY_OUTBOUND_NETWORKS opens networks'),
  });
});

test('redirects without an end are given up', async () => {
  const { host, requests } = await listen(
    (request, response) => void response.writeHead(307, { location: request.url }).end(),
  );
  await expect(open(`${host}/wine`).hasBlob(DIGEST)).rejects.toMatchObject({ code: 'run_failed' });
  expect(requests.length).toBeLessThan(10);
});

test('a token realm on another host gets no credentials', async () => {
  const realm = await listen((_, response) => void response.end(JSON.stringify({ token: 'anonymous' })));
  // Not loopback by its name, and answered by this machine.
  const elsewhere = `http://0.0.0.0:${realm.host.split(':')[1]}/token`;
  const { host, requests } = await listen((request, response) =>
    request.headers.authorization === 'Bearer anonymous'
      ? found(request, response)
      : void response.writeHead(401, { 'www-authenticate': `Bearer realm="${elsewhere}",service="s",scope="x"` }).end(),
  );
  expect(await digestOf(`${host}/wine:3`, { auth: AUTH, networks: ['0.0.0.0/8'] })).toBe(DIGEST);
  expect(realm.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  expect(requests.map(({ authorization }) => authorization)).toEqual([BASIC, 'Bearer anonymous']);
});

test('a registry that a caller names must have an allowed address', async () => {
  const { host, requests } = await listen(found);
  expect(() => open(`${host}/wine:3`, { own: 'registry.example' })).toThrow(
    expect.objectContaining({
      ...{ code: 'run_failed', detail: expect.objectContaining({ reason: 'ImagePullFailed' }) },
      message: expect.stringMatching(/127\.0\.0\.1 is a loopback address; SLIPWAY_OUTBOUND_NETWORKS opens networks/),
    }),
  );
  expect(requests).toEqual([]);
});
