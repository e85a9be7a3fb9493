import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../cli/login/config-file.js';
import { sendJson, startReplyServer, type ReplyServer } from '../client/reply-server.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

/** A platform with its issuer: clients log in with their own name as secret. */
const seen: { scope: string | null; client: string | null }[] = [];
let server: ReplyServer;
let slipway: SlipwayRunner;
let behavior: { names: boolean; accepts: boolean; grants: boolean };
beforeEach(async () => {
  seen.length = 0;
  behavior = { names: true, accepts: true, grants: true };
  slipway = await createSlipwayRunner({});
  server = await startReplyServer(({ url, headers, body }, response) => {
    const path = url.replace(/^\/base/, '');
    if (path === '/swagger/data.json') {
      const flows = behavior.names ? { clientCredentials: { tokenUrl: `${server.url}/token`, scopes: {} } } : {};
      return sendJson(response, 200, { openapi: '3.1.0', components: { securitySchemes: { login: { flows } } } });
    }
    if (path === '/.well-known/openid-configuration')
      return sendJson(response, 200, { token_endpoint: `${server.url}/token` });
    if (path === '/token') {
      const form = new URLSearchParams(body);
      const client = form.get('client_id');
      seen.push({ scope: form.get('scope'), client });
      if (!behavior.grants)
        return sendJson(response, 400, { error: 'invalid_scope', error_description: 'no such scope' });
      if (form.get('client_secret') !== client) return sendJson(response, 401, { error: 'invalid_client' });
      return sendJson(response, 200, { access_token: `token of ${client}`, expires_in: 3_600 });
    }
    const user = /^Bearer token of (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (!behavior.accepts || user === undefined) return sendJson(response, 401, { message: 'Unauthorized' });
    sendJson(response, 200, { username: user, email: `${user}@example.org`, sub: user, roles: [] });
  });
});
afterEach(async () => {
  await server.stop();
  await slipway.remove();
});

const file = () => join(slipway.folder, '.config', 'slipway', 'config.json');
const login = (client: string, ...args: string[]) =>
  slipway.run(['login', '--server', server.url, '--client-id', client, '--client-secret-stdin', ...args], {
    stdin: client,
  });
const userOf = async (env: Record<string, string>, ...args: string[]) => {
  const ended = await slipway.run(['whoami', '-o', 'json', ...args], { env });
  return ended.exitCode === 0 ? JSON.parse(ended.out).username : ended.exitCode;
};

test('a token comes before client credentials, and these before what is logged in', async () => {
  await login('kept');
  const clients = { SLIPWAY_CLIENT_ID: 'ci', SLIPWAY_CLIENT_SECRET: 'ci' };
  expect(await userOf({})).toBe('kept');
  expect(await userOf(clients)).toBe('ci');
  expect(await userOf({ ...clients, SLIPWAY_TOKEN: 'token of fixed' })).toBe('fixed');
  expect(await userOf({ SLIPWAY_CLIENT_ID: 'half' })).toBe('kept');
  expect(await userOf({ SLIPWAY_TOKEN: '', SLIPWAY_SERVER: '' })).toBe('kept');
});

test('the option names the server before the variable, and both before the login', async () => {
  await login('kept');
  const away = 'http://127.0.0.1:9';
  expect(await userOf({ SLIPWAY_SERVER: away, SLIPWAY_TOKEN: 't' })).toBe(6);
  expect(await userOf({ SLIPWAY_SERVER: away }, '--server', server.url)).toBe('kept');
});

test.each([
  ['/', ''],
  ['//', ''],
  ['/base/', '/base'],
  ['/?a=b', ''],
  ['/#top', ''],
])('an address that ends with "%s" is the same login', async (end, kept) => {
  await slipway.run(['login', '--server', `${server.url}${end}`, '--client-id', 'me', '--client-secret-stdin'], {
    stdin: 'me',
  });
  expect(Object.keys((await readConfig(file())).servers)).toEqual([`${server.url}${kept}`]);
});

test.each(['localhost:8080', 'ftp://example.org', '/slipway', 'http://', ''])(
  '"%s" is no address of a server',
  async (address) => {
    const { exitCode, err } = await slipway.run(['whoami', '--server', address]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(`"${address}"`)]);
  },
);

test('each server has a login of its own, and a logout takes one', async () => {
  await login('first');
  const other = `${server.url}/base`;
  await slipway.run(['login', '--server', other, '--client-id', 'second', '--client-secret-stdin'], {
    stdin: 'second',
  });
  expect(await userOf({})).toBe('second');
  expect(await userOf({}, '--server', server.url)).toBe('first');
  expect((await slipway.run(['logout', '--server', server.url])).exitCode).toBe(0);
  expect(await userOf({}, '--server', server.url)).toBe(3);
  expect(await userOf({})).toBe('second');
  expect((await slipway.run(['logout'])).exitCode).toBe(0);
  expect(await userOf({})).toBe(2);
  expect(await readConfig(file())).toEqual({ servers: {} });
  expect(await slipway.run(['logout', '--server', server.url])).toMatchObject({ exitCode: 0, out: '' });
});

test('a login is kept in the file that is named, and in no other', async () => {
  const path = join(slipway.folder, 'deep', 'er', 'mine.json');
  expect((await login('me', '--config', path)).exitCode).toBe(0);
  expect(await userOf({}, '--config', path)).toBe('me');
  expect(await userOf({ SLIPWAY_CONFIG: path })).toBe('me');
  await expect(stat(file())).rejects.toThrow('ENOENT');
});

test('the scope is asked for at every renewal', async () => {
  await login('me', '--scope', 'slipway.all openid');
  const config = JSON.parse(await readFile(file(), 'utf8'));
  delete config.servers[server.url].token;
  await writeFile(file(), JSON.stringify(config));
  expect(await userOf({})).toBe('me');
  expect(seen.map(({ scope }) => scope)).toEqual(['slipway.all openid', 'slipway.all openid']);
});

test('an issuer can be named where the server names none', async () => {
  behavior.names = false;
  expect((await login('me')).exitCode).toBe(3);
  expect((await login('me', '--issuer', server.url)).exitCode).toBe(0);
  expect(await userOf({})).toBe('me');
});

test.each<[string, () => void, number]>([
  ['whose token the server does not take', () => (behavior.accepts = false), 3],
  ['that the issuer refuses for another reason', () => (behavior.grants = false), 3],
])('a login %s is not kept', async (_name, change, exitCode) => {
  change();
  expect(await login('me')).toMatchObject({ exitCode, out: '' });
  expect((await readConfig(file())).api_url).toBeUndefined();
});

test('a server that is away, and one that is another, fail before a secret is read', async () => {
  const stdin = new PassThrough();
  const away = ['login', '--server', 'http://127.0.0.1:9', '--client-id', 'me', '--client-secret-stdin'];
  expect((await slipway.run(away, { stdin })).exitCode).toBe(6);
  const page = await startReplyServer((_seen, response) => response.end('<html>'));
  const other = ['login', '--server', page.url, '--client-id', 'me', '--client-secret-stdin'];
  expect((await slipway.run(other, { stdin })).exitCode).toBe(6);
  await page.stop();
});

test.each(['[]', '"text"', '{"servers": []}', '{"servers": {"x": {"clientId": 1}}}', ''])(
  'a file that holds %s is damaged',
  async (text) => {
    await mkdir(join(file(), '..'), { recursive: true });
    await writeFile(file(), text);
    for (const command of [['whoami'], ['logout'], ['get', 'trainings']]) {
      const { exitCode, err } = await slipway.run(command);
      expect([exitCode, err]).toEqual([2, expect.stringContaining(file())]);
    }
    expect(await readFile(file(), 'utf8')).toBe(text);
  },
);

test('a file that cannot be read is named', async () => {
  await mkdir(file(), { recursive: true });
  expect(await slipway.run(['whoami'])).toMatchObject({ exitCode: 2, err: expect.stringContaining(file()) });
});

test('a renewed token of another client does not replace that of the login', async () => {
  await login('me');
  await chmod(file(), 0o600);
  const before = await readFile(file(), 'utf8');
  expect(await userOf({ SLIPWAY_CLIENT_ID: 'ci', SLIPWAY_CLIENT_SECRET: 'ci' })).toBe('ci');
  expect(await readFile(file(), 'utf8')).toBe(before);
});

/** The input of a person at a terminal. */
function terminal() {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
}

test('a person is asked for client and secret, and the secret is not shown', async () => {
  const stdin = terminal();
  let text = '';
  const answers = [
    ['client id: ', 'ada\n'],
    ['client secret: ', 'ada\r'],
  ];
  const onText = (more: string) => {
    text += more;
    const [question, answer] = answers[0] ?? [];
    if (question === undefined || !text.includes(question)) return;
    answers.shift();
    setImmediate(() => stdin.write(answer));
  };
  const { exitCode, out, err } = await slipway.run(['login', '--server', server.url], { stdin, onText });
  expect([exitCode, out, answers]).toEqual([0, '', []]);
  expect(err.slice(err.indexOf('client secret: '))).not.toMatch(/secret: .*ada\r?\n/);
  expect((await readConfig(file())).servers[server.url]).toMatchObject({ clientId: 'ada', clientSecret: 'ada' });
});

test('Ctrl-C at the question for the secret keeps nothing', async () => {
  const stdin = terminal();
  const stop = new AbortController();
  const onText = (text: string) => text.includes('client secret: ') && setImmediate(() => stop.abort());
  const args = ['login', '--server', server.url, '--client-id', 'ada'];
  const ended = await slipway.run(args, { stdin, onText, signal: stop.signal });
  expect(ended.exitCode).toBe(130);
  await expect(stat(file())).rejects.toThrow('ENOENT');
});

test('whoami prints a table, JSON or YAML, and refuses another format', async () => {
  await login('ada');
  expect(JSON.parse((await slipway.run(['whoami', '-o', 'json'])).out)).toMatchObject({
    server: server.url,
    sub: 'ada',
  });
  expect((await slipway.run(['whoami', '-o', 'yaml'])).out).toContain('\nusername: ada\n');
  expect((await slipway.run(['whoami'])).out).toMatch(/^roles +none$/m);
  expect((await slipway.run(['whoami', '-o', 'csv'])).exitCode).toBe(2);
});
