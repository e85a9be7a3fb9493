import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGE_SCRIPT, PAGE_STYLE, SWAGGER_FILES, SWAGGER_PAGES } from '../../openapi/page.js';

const FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const OWN_FILES = ['page.css', 'page.js'];

interface Answer {
  ok: boolean;
  text: () => Promise<string>;
}

/** Runs the script of the page with a browser's names around it. */
function openPage(fetch: (address: string, options: object) => Promise<Answer> = () => Promise.reject(new Error())) {
  let options: Record<string, unknown> = {};
  const context = createContext({
    URLSearchParams,
    TextDecoder,
    Uint8Array,
    atob,
    fetch,
    setInterval: () => undefined,
    window: {},
    document: { getElementById: () => ({ dataset: { definition: './data.json' } }) },
    SwaggerUIBundle: (given: Record<string, unknown>) => void (options = given),
  });
  runInContext(PAGE_SCRIPT, context);
  // The options are the script's own objects: what a test needs of them is read by name.
  return options as {
    url: string;
    validatorUrl: null;
    persistAuthorization: boolean;
    requestInterceptor: (request: object) => { headers: Record<string, string>; body: string };
    plugins: (() => {
      statePlugins: Record<
        string,
        { wrapActions: Record<string, (action: unknown, system: unknown) => (given: unknown) => void> }
      >;
    })[];
  };
}

test.each(Object.entries(SWAGGER_PAGES))(
  '%s loads files of this installation alone, and each of them exists',
  async (_, page) => {
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses) {
      expect(address).toMatch(/^\.\//);
      const name = address.slice(2);
      expect([...OWN_FILES, ...Object.keys(SWAGGER_FILES), ...Object.keys(SWAGGER_PAGES)]).toContain(name);
    }
    // The content security policy allows no script and no style inside of a page.
    expect(page).not.toMatch(/<script>|<style|\son\w+=|style=/);
  },
);

test.each(Object.keys(SWAGGER_FILES))('%s is in the package', async (name) => {
  expect((await stat(join(FOLDER, name))).size).toBeGreaterThan(100);
});

test('the style loads nothing', () => {
  expect(PAGE_STYLE).not.toMatch(/url\(|@import/);
});

test('the page shows its definition, keeps no credential and asks no validator', () => {
  expect(openPage()).toMatchObject({ url: './data.json', persistAuthorization: false, validatorUrl: null });
});

test.each([
  ['id', 'secret'],
  ['client:id'.slice(0, 6), 'with:colons:'],
  ['ümlaut', 'pässword'],
  ['id', ''],
])('a client %j sends its secret %j in the form', (id, secret) => {
  const { requestInterceptor } = openPage();
  const basic = Buffer.from(`${id}:${secret}`).toString('base64');
  const sent = requestInterceptor({
    url: 'https://issuer.test/token',
    headers: { Authorization: `Basic ${basic}`, 'X-Requested-With': 'XMLHttpRequest' },
    body: 'grant_type=client_credentials&scope=',
  });
  expect({ ...sent.headers }).toEqual({ 'Content-Type': 'application/x-www-form-urlencoded' });
  expect(Object.fromEntries(new URLSearchParams(sent.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
});

test('a scope that is asked for is sent, and requests without such a credential stay as they are', () => {
  const { requestInterceptor } = openPage();
  const headers = { Authorization: `Basic ${btoa('a:b')}` };
  const sent = requestInterceptor({ headers, body: 'scope=data%3Aread' });
  expect(new URLSearchParams(sent.body).get('scope')).toBe('data:read');
  for (const request of [{ headers: { Authorization: 'Bearer x' } }, { headers: {} }, {}]) {
    expect(requestInterceptor(request)).toBe(request);
  }
});

test('a login without an answer is reported with its cause, other failures as they are', () => {
  const [explain] = openPage().plugins;
  const wrap = explain?.().statePlugins.err?.wrapActions.newAuthErr;
  const reported: { message: string; authId: string }[] = [];
  const report = wrap?.((error: { message: string; authId: string }) => void reported.push(error), {});
  report?.({ message: 'TypeError: Failed to fetch', authId: 'login' });
  report?.({ message: 'Unauthorized', authId: 'login' });
  expect(reported[0]?.message).not.toContain('TypeError');
  expect(reported[0]?.authId).toBe('login');
  expect(reported[1]).toEqual({ message: 'Unauthorized', authId: 'login' });
});

test('with a credential the page reads its definition again, and reports a refusal at each credential', async () => {
  const calls: [string, object][] = [];
  let answer: Answer = { ok: true, text: async () => '{"openapi":"3.1.0"}' };
  const [, again] = openPage(async (address, { headers }: { headers?: object }) => {
    calls.push([address, { ...headers }]);
    return answer;
  }).plugins;
  const authorized = {
    apiKey: { schema: { type: 'apiKey', name: 'x-api-key' }, value: 'slp_1' },
    bearer: { schema: { type: 'http' }, value: 'token' },
    login: { schema: { type: 'oauth2' }, value: undefined },
  };
  const seen: unknown[] = [];
  const system = {
    authSelectors: { authorized: () => ({ toJS: () => authorized }) },
    errActions: {
      clear: () => undefined,
      newAuthErr: ({ authId, message }: { authId: string; message: string }) => void seen.push([authId, message]),
    },
    specActions: { updateSpec: (text: string) => void seen.push(text) },
  };
  const wrapped = again?.().statePlugins.auth?.wrapActions;
  wrapped?.authorize?.(() => undefined, system)({});
  await new Promise((done) => setImmediate(done));
  expect(calls).toEqual([['./data.json', { 'x-api-key': 'slp_1', Authorization: 'Bearer token' }]]);
  expect(seen).toEqual(['{"openapi":"3.1.0"}']);
  seen.length = 0;
  answer = { ok: false, text: async () => '{"detail":"the key is unknown"}' };
  wrapped?.logout?.(() => undefined, system)({});
  await new Promise((done) => setImmediate(done));
  expect(seen).toEqual(Object.keys(authorized).map((name) => [name, 'the key is unknown']));
  const byLogin = { login: { schema: { type: 'oauth2' }, token: { access_token: 'of the login' } } };
  const loggedIn = { ...system, authSelectors: { authorized: () => ({ toJS: () => byLogin }) } };
  wrapped?.authorizeOauth2?.(() => undefined, loggedIn)({});
  expect(calls.at(-1)).toEqual(['./data.json', { Authorization: 'Bearer of the login' }]);
});
