import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeConfig, configPath, readConfig } from '../../cli/login/config-file.js';
import { sendJson, startReplyServer, type ReplyServer } from '../client/reply-server.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const SECRET = 'a secret & more';

/** A server and its issuer in one: it names itself as the place of tokens, and takes the last one that it gave. */
let server: ReplyServer;
let slipway: SlipwayRunner;
let given = 0;
beforeEach(async () => {
  slipway = await createSlipwayRunner({});
  server = await startReplyServer(({ url, headers, body }, response) => {
    if (url === '/swagger/data.json') {
      const flows = { clientCredentials: { tokenUrl: `${server.url}/token`, scopes: {} } };
      return sendJson(response, 200, { openapi: '3.1.0', components: { securitySchemes: { login: { flows } } } });
    }
    if (url === '/token') {
      if (new URLSearchParams(body).get('client_secret') !== SECRET) {
        return sendJson(response, 401, { error: 'invalid_client' });
      }
      given += 1;
      return sendJson(response, 200, { access_token: `token-${given}`, expires_in: 3_600 });
    }
    if (headers.authorization !== `Bearer token-${given}`) {
      return sendJson(response, 401, { message: 'Unauthorized', code: 'unauthenticated', requestId: 'r1' });
    }
    sendJson(response, 200, { username: 'Ada', email: '', sub: 'me', roles: ['admin', 'tester'] });
  });
});
afterEach(async () => {
  await server.stop();
  await slipway.remove();
});

const login = (secret = SECRET) =>
  slipway.run(['login', '--server', server.url, '--client-id', 'me', '--client-secret-stdin'], {
    stdin: `${secret}\n`,
  });
const file = () => join(slipway.folder, '.config', 'slipway', 'config.json');

test('without a login every command says how to log in', async () => {
  expect(await slipway.run(['whoami'])).toEqual({
    exitCode: 2,
    out: '',
    err: 'Error: no server is known; log in with "slipway login --server <url>", or set SLIPWAY_SERVER\n',
  });
  expect(await slipway.run(['whoami', '--server', server.url])).toMatchObject({
    exitCode: 3,
    err: `Error: not logged in at ${server.url}; run "slipway login --server ${server.url}"\n`,
  });
});

test('a development issuer of this machine needs no questions', async () => {
  const other = await startReplyServer(({ url, body }, response) => {
    if (url === '/swagger/data.json') {
      const flows = { clientCredentials: { tokenUrl: `${other.url}/token`, scopes: {} } };
      return sendJson(response, 200, { openapi: '3.1.0', components: { securitySchemes: { login: { flows } } } });
    }
    if (url?.startsWith('/.well-known')) {
      return sendJson(response, 200, { slipway_development_client: { id: 'demo-admin', secret: 's' } });
    }
    if (url === '/token') {
      const form = new URLSearchParams(body);
      const isKnown = form.get('client_id') === 'demo-admin' && form.get('client_secret') === 's';
      return sendJson(response, isKnown ? 200 : 401, isKnown ? { access_token: 't', expires_in: 60 } : {});
    }
    sendJson(response, 200, { username: 'demo-admin', email: '', sub: 'demo-admin', roles: ['admin'] });
  });
  const { exitCode, err } = await slipway.run(['login', '--server', other.url]);
  expect([exitCode, err]).toEqual([
    0,
    'using the development client demo-admin; --client-id names another\n' +
      `logged in at ${other.url} as demo-admin (admin)\n`,
  ]);
  await other.stop();
});

test('a login is kept for its user alone, and serves the commands that follow', async () => {
  expect(await login()).toEqual({
    exitCode: 0,
    out: '',
    err: `logged in at ${server.url} as Ada (admin, tester)\n`,
  });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(join(file(), '..'))).mode & 0o777).toBe(0o700);
  const before = server.seen.length;
  const { exitCode, out } = await slipway.run(['whoami']);
  expect([exitCode, out]).toEqual([
    0,
    expect.stringMatching(/server +http.*\nuser +Ada\n.*\n.*\nroles +admin, tester\n/),
  ]);
  // The token was kept too: the issuer got no request.
  expect(server.seen.slice(before).map(({ url }) => url)).toEqual(['/api/v1/user/info']);
});

test('a kept token that the server does not take any more is renewed, and the new one kept', async () => {
  await login();
  given += 1;
  expect((await slipway.run(['whoami'])).exitCode).toBe(0);
  expect((await readConfig(file())).servers[server.url]?.token?.value).toBe(`token-${given}`);
});

test('a wrong secret is not kept, and says what to do', async () => {
  await login();
  const { exitCode, err } = await login('wrong');
  expect(exitCode).toBe(3);
  expect(err).toContain(
    'the issuer does not know client "me" with this secret; it may be mistyped, expired or replaced',
  );
  expect((await readConfig(file())).servers[server.url]?.clientSecret).toBe(SECRET);
});

test('a secret is asked for by a person only; otherwise its ways are named', async () => {
  const missing = await slipway.run(['login', '--server', server.url, '--client-id', 'me']);
  expect(missing).toMatchObject({
    exitCode: 2,
    err: 'Error: the client secret is missing: use --client-secret-stdin or SLIPWAY_CLIENT_SECRET\n',
  });
  expect((await slipway.run(['login', '--help'])).out).not.toMatch(/--client-secret[ =<]/);
  const empty = await slipway.run(['login', '--server', server.url, '--client-id', 'me', '--client-secret-stdin']);
  expect(empty).toMatchObject({ exitCode: 2, err: 'Error: standard input is empty\n' });
});

test('the environment of continuous integration needs no login and leaves no file', async () => {
  const env = {
    SLIPWAY_SERVER: `${server.url}/`,
    SLIPWAY_CLIENT_ID: 'me',
    SLIPWAY_CLIENT_SECRET: SECRET,
    XDG_CONFIG_HOME: join(slipway.folder, 'elsewhere'),
  };
  expect((await slipway.run(['whoami'], { env })).exitCode).toBe(0);
  await expect(stat(join(slipway.folder, 'elsewhere'))).rejects.toThrow('ENOENT');
});

test('a file that others can read is closed to them, with a warning', async () => {
  await login();
  await chmod(file(), 0o644);
  const { exitCode, err } = await slipway.run(['whoami']);
  expect([exitCode, err]).toEqual([0, expect.stringContaining('warning: others on this machine could read')]);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test('a logout forgets one server', async () => {
  await login();
  expect((await slipway.run(['logout'])).err).toBe(`logged out of ${server.url}\n`);
  expect(await readFile(file(), 'utf8')).not.toContain(SECRET);
  expect((await slipway.run(['whoami', '--server', server.url])).exitCode).toBe(3);
});

test('a secret goes to no server but its own', async () => {
  await login();
  const other = await slipway.run(['whoami', '--server', 'http://127.0.0.1:9']);
  expect(other.exitCode).toBe(3);
  expect(other.err).toContain('not logged in at http://127.0.0.1:9');
});

test('many commands may change the file at once', async () => {
  const path = join(slipway.folder, 'many', 'config.json');
  const names = Array.from({ length: 12 }, (_, at) => `http://server-${at}`);
  const entry = { clientId: 'a', clientSecret: 'b', api_issuing_url: 'c' };
  await Promise.all(names.map((name) => changeConfig(path, ({ servers }) => void (servers[name] = entry))));
  expect(Object.keys((await readConfig(path)).servers).sort()).toEqual(names.sort());
});

test('a file of an earlier version is read, and written with the names of now', async () => {
  const path = join(slipway.folder, 'earlier.json');
  const login = { clientId: 'a', clientSecret: 'b' };
  const servers = { 'http://a': { ...login, tokenEndpoint: 'http://a/token' } };
  await writeFile(path, JSON.stringify({ current: 'http://a', servers }));
  await changeConfig(path, () => undefined);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    api_url: 'http://a',
    servers: { 'http://a': { ...login, api_issuing_url: 'http://a/token' } },
  });
});

test('a file that is damaged is named, with what to do', async () => {
  const path = join(slipway.folder, 'damaged.json');
  await writeFile(path, '{"servers": ');
  expect(await slipway.run(['whoami', '--config', path])).toMatchObject({
    exitCode: 2,
    err: `Error: ${path} is no configuration of slipway; remove it and log in again\n`,
  });
});

test('the place of the file follows option, variable and the folders of the system', () => {
  expect(configPath('/a', { SLIPWAY_CONFIG: '/b' })).toBe('/a');
  expect(configPath(undefined, { SLIPWAY_CONFIG: '/b', XDG_CONFIG_HOME: '/c' })).toBe('/b');
  expect(configPath(undefined, { XDG_CONFIG_HOME: '/c', HOME: '/d' })).toBe('/c/slipway/config.json');
  expect(configPath(undefined, { HOME: '/d' })).toBe('/d/.config/slipway/config.json');
});

test('every request can be logged, without secrets', async () => {
  const { err } = await slipway.run(['login', '--server', server.url, '--client-id', 'me', '--verbose'], {
    env: { SLIPWAY_CLIENT_SECRET: SECRET },
  });
  expect(err).toMatch(
    /GET http.*\/swagger\/data.json 200 \d+ ms\nPOST http.*\/token 200 \d+ ms\nGET http.*\/user\/info 200/,
  );
  expect(err).not.toContain(SECRET);
  expect(err).not.toContain('token-');
});
