import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import { createRegistryAuth, type RegistryAuthOptions } from '../../../lifecycle/stores/registry-auth.js';
import { failureIn } from '../../../platform/kinds/reasons.js';
import { registryAuthBy } from '../../activities/shared/registry-deps.js';
import { newConnection } from '../../activities/shared/resources.js';
import { startTokenServices, type TokenAnswer, type TokenCall } from '../../clouds/token-services.js';

const USE = { reason: 'PushFailed' } as const;
const open = (sealed: string) => `open ${sealed}`;
const harbor = newConnection('harbor', { uri: 'harbor.example.org/team', username: 'ada', password: 's' });

test.each(['harbor.example.org/team/wine:1', 'harbor.example.org/other/wine@sha256:abc'])(
  '%s gets the credentials',
  async (image) => {
    const serveraddress = 'harbor.example.org';
    expect(await registryAuthBy(open)(image, harbor, USE)).toEqual({
      username: 'ada',
      password: 'open s',
      serveraddress,
    });
  },
);

test.each([
  'python:3.12',
  'docker.io/library/python',
  'harbor.example.org.evil.com/team/wine',
  'harbor.example.org:444/team/x',
])('%s does not get the credentials of another registry', async (image) => {
  expect(await registryAuthBy(open)(image, harbor, USE)).toBeUndefined();
});

test('an open registry, and no connection, have no credentials', async () => {
  const opened = newConnection('c', { uri: '127.0.0.1:5000' });
  expect(await registryAuthBy()('127.0.0.1:5000/x', opened, USE)).toBeUndefined();
  expect(await registryAuthBy()('x', undefined, USE)).toBeUndefined();
});

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
const JSON_KEY = JSON.stringify({ client_email: 'ci@acme.test', private_key: pem, private_key_id: 'k1' });
const HOURS = 3_600_000;

/** Google, Azure and Amazon in one server: each token says how many were given before it. */
async function cloudsThat(answer: (call: TokenCall, count: number) => TokenAnswer | Promise<TokenAnswer>) {
  let count = 0;
  const services = await startTokenServices((call) => answer(call, (count += 1)));
  onTestFinished(() => services.stop());
  return services;
}

interface Scene extends Partial<RegistryAuthOptions> {
  spec: Partial<ConnectionSpec> & { uri: string };
}

const authOf = ({ spec, ...options }: Scene) => {
  const registryAuth = createRegistryAuth({ openSecret: (sealed) => sealed, ambientRegistries: [], ...options });
  const connection = newConnection('cloud', { type: 'cloud-registry', ...spec });
  return (use: Parameters<typeof registryAuth>[2] = USE) => registryAuth(`${spec.uri}/wine:1`, connection, use);
};
const refusal = async (work: Promise<unknown>): Promise<string | undefined> =>
  failureIn(
    await work.then(
      () => undefined,
      (err: unknown) => err,
    ),
  )?.message;

const GOOGLE = 'europe-docker.pkg.dev/acme/models';
const AZURE = 'acme.azurecr.io/models';
const AMAZON = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/models';

test('the key of a service account gets a token of Google, which is kept until shortly before its end', async () => {
  const { dispatcher, calls } = await cloudsThat((_call, count) => ({
    json: { access_token: `ya29.${count}`, expires_in: 3_600 },
  }));
  let time = Date.now();
  const auth = authOf({ spec: { uri: GOOGLE, keySecret: JSON_KEY }, dispatcher, now: () => time });
  const [first, ...others] = await Promise.all([auth(), auth(), auth()]);
  expect(first).toMatchObject({
    ...{ username: 'oauth2accesstoken', password: 'ya29.1', serveraddress: 'europe-docker.pkg.dev' },
  });
  expect(others.map((each) => each?.password)).toEqual(['ya29.1', 'ya29.1']);
  const form = new URLSearchParams(calls[0]?.body);
  expect([calls.length, calls[0]?.path, form.get('grant_type')]).toEqual([
    ...[1, '/token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ]);
  const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey);
  expect(payload).toMatchObject({ iss: 'ci@acme.test', aud: 'https://oauth2.googleapis.com/token' });
  time += HOURS * 0.9;
  expect((await first?.renewed?.())?.password).toBe('ya29.1');
  time += HOURS * 0.05;
  expect((await first?.renewed?.())?.password).toBe('ya29.2');
  expect((await auth())?.password).toBe('ya29.2');
});

test('other credentials get another token', async () => {
  const { dispatcher } = await cloudsThat((_call, count) => ({
    json: { access_token: `ya29.${count}`, expires_in: 3_600 },
  }));
  const registryAuth = createRegistryAuth({ openSecret: (sealed) => sealed, ambientRegistries: [], dispatcher });
  const passwords = [];
  for (const keySecret of [JSON_KEY, `${JSON_KEY} `, JSON_KEY]) {
    const connection = newConnection('cloud', { type: 'cloud-registry', uri: GOOGLE, keySecret });
    passwords.push((await registryAuth(`${GOOGLE}/wine`, connection, USE))?.password);
  }
  expect(passwords).toEqual(['ya29.1', 'ya29.2', 'ya29.1']);
});

test('a service principal gets a refresh token of Azure for its registry', async () => {
  const end = Math.floor(Date.now() / 1_000) + 10_800;
  const refresh_token = await new SignJWT()
    .setProtectedHeader({ alg: 'RS256' })
    .setExpirationTime(end)
    .sign(privateKey);
  const { dispatcher, calls } = await cloudsThat(({ path }) => ({
    json: path === '/oauth2/exchange' ? { refresh_token } : { access_token: 'aad', expires_in: 3_599 },
  }));
  let time = Date.now();
  const spec = { uri: AZURE, keyID: 'acme.test/app-1', keySecret: 'hunter2' };
  const auth = authOf({ spec, dispatcher, now: () => time });
  expect(await auth()).toMatchObject({
    ...{ username: '00000000-0000-0000-0000-000000000000', password: refresh_token, serveraddress: 'acme.azurecr.io' },
  });
  const [login, exchange] = calls.map(({ path, body }) => ({ path, ...Object.fromEntries(new URLSearchParams(body)) }));
  expect(login).toMatchObject({
    ...{ path: '/acme.test/oauth2/v2.0/token', grant_type: 'client_credentials', client_id: 'app-1' },
    client_secret: 'hunter2',
  });
  expect(exchange).toEqual({
    ...{ path: '/oauth2/exchange', grant_type: 'access_token', service: 'acme.azurecr.io', tenant: 'acme.test' },
    access_token: 'aad',
  });
  time += 2.9 * HOURS;
  await auth();
  expect([calls.length, decodeJwt(refresh_token).exp]).toEqual([2, end]);
  time += 0.05 * HOURS;
  await auth();
  expect(calls).toHaveLength(4);
});

test('the words of a token service, and nothing of the secret, say why there is no token', async () => {
  const { dispatcher } = await cloudsThat(() => ({
    status: 401,
    json: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' },
  }));
  const spec = { uri: AZURE, keyID: 'acme.test/app-1', keySecret: 'hunter2' };
  expect(await refusal(authOf({ spec, dispatcher })())).toBe(
    'registry acme.azurecr.io could not give a token: it answers 401, "AADSTS7000215: Invalid client secret provided."; ' +
      'check the credentials of its connection',
  );
});

test('a failure for now is asked again', async () => {
  const { dispatcher } = await cloudsThat((_call, count) =>
    count === 1 ? { status: 503, json: {} } : { json: { access_token: 'ya29', expires_in: 3_600 } },
  );
  const auth = authOf({ spec: { uri: GOOGLE, keySecret: JSON_KEY }, dispatcher });
  await expect(auth()).rejects.toMatchObject({ code: 'unavailable', detail: { reason: 'PushFailed' } });
  expect((await auth())?.password).toBe('ya29');
});

test.each([
  [{ uri: GOOGLE, keySecret: 'no key' }, 'is not a JSON key of a service account'],
  [
    { uri: GOOGLE, keySecret: '{"client_email":"a@b","private_key":"hunter2"}' },
    'is not a JSON key of a service account',
  ],
  [{ uri: AZURE, keyID: 'app-1', keySecret: 'hunter2' }, 'keyID of the connection must be TENANT/CLIENT'],
  [{ uri: AZURE, keyID: '../x/app', keySecret: 'hunter2' }, 'keyID of the connection must be TENANT/CLIENT'],
])('credentials that cannot be used are refused in words: %j', async (spec, text) => {
  const { dispatcher, calls } = await cloudsThat(() => ({ json: {} }));
  const said = await refusal(authOf({ spec, dispatcher })());
  expect(said).toContain(text);
  expect([said?.includes('hunter2'), calls.length]).toEqual([false, 0]);
});

test.each([GOOGLE, AZURE, AMAZON])(
  'without credentials %s has those of the platform only where allowed',
  async (uri) => {
    const said = await refusal(authOf({ spec: { uri }, ambientRegistries: ['europe-docker.pkg.dev/acm', 'gcr.io'] })());
    expect(said).toContain(`connection "cloud" has no credentials for ${uri}`);
    expect(said).toContain('SLIPWAY_AMBIENT_REGISTRIES');
  },
);

test('the identity of the platform is for images of the opened part of a registry only', async () => {
  const ambientRegistries = ['europe-docker.pkg.dev/acme'];
  const registryAuth = createRegistryAuth({ openSecret: (sealed) => sealed, ambientRegistries });
  const connection = newConnection('cloud', { type: 'cloud-registry', uri: GOOGLE });
  for (const image of ['europe-docker.pkg.dev/other/x:1', 'europe-docker.pkg.dev/acmes/x:1']) {
    expect(await refusal(registryAuth(image, connection, USE))).toContain('has no credentials for');
  }
});

/** The identity of a workload, as each cloud gives it to a process. */
beforeEach(() => {
  for (const name of ['GOOGLE_APPLICATION_CREDENTIALS', 'AWS_ACCESS_KEY_ID', 'AZURE_CLIENT_ID'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', '/nonexistent');
});
afterEach(() => void vi.unstubAllEnvs());

test('the identity of a workload of Google is that of its metadata server', async () => {
  const { url, calls } = await cloudsThat(({ path }) => ({
    json: path.includes('/token') ? { access_token: 'ya29.workload', expires_in: 1_800 } : 'acme',
  }));
  vi.stubEnv('GCE_METADATA_HOST', url.replace('http://', ''));
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'acme');
  const auth = authOf({ spec: { uri: GOOGLE }, ambientRegistries: ['europe-docker.pkg.dev/acme'] });
  expect((await auth())?.password).toBe('ya29.workload');
  const asked = calls.find(({ path }) => path.includes('/token'));
  expect([asked?.headers['metadata-flavor'], asked?.path]).toEqual([
    'Google',
    expect.stringContaining('/service-accounts/default/token'),
  ]);
});

test('the identity of a workload of Azure is that of its token endpoint', async () => {
  const { url, calls, dispatcher } = await cloudsThat(({ path }) => ({
    json: path.startsWith('/oauth2')
      ? { refresh_token: 'refresh' }
      : { access_token: 'workload', expires_on: String(Math.floor(Date.now() / 1_000) + 3_600) },
  }));
  vi.stubEnv('IDENTITY_ENDPOINT', `${url}/msi/token`);
  vi.stubEnv('IDENTITY_HEADER', 'header-of-the-workload');
  const auth = authOf({ spec: { uri: AZURE }, ambientRegistries: ['acme.azurecr.io'], dispatcher });
  expect((await auth())?.password).toBe('refresh');
  expect(calls[0]?.headers['x-identity-header']).toBe('header-of-the-workload');
  expect(new URLSearchParams(calls.at(-1)?.body).get('access_token')).toBe('workload');
});

test('the identity of a workload of Amazon signs the request for a password, and a push makes its repository', async () => {
  const expiresAt = Math.floor(Date.now() / 1_000) + 43_200;
  const { url, calls } = await cloudsThat(({ path, headers }) => {
    if (path === '/credentials') {
      const Expiration = new Date(Date.now() + HOURS).toISOString();
      return { json: { AccessKeyId: 'ASIAWORKLOAD', SecretAccessKey: 's', Token: 't', Expiration } };
    }
    const isCreation = String(headers['x-amz-target']).endsWith('.CreateRepository');
    if (isCreation) return { status: 400, json: { __type: 'RepositoryAlreadyExistsException' } };
    const authorizationToken = Buffer.from('AWS:a:password').toString('base64');
    return { json: { authorizationData: [{ authorizationToken, expiresAt }] } };
  });
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${url}/credentials`);
  vi.stubEnv('AWS_ENDPOINT_URL_ECR', url);
  const auth = authOf({ spec: { uri: AMAZON }, ambientRegistries: [AMAZON] });
  expect(await auth({ ...USE, push: true })).toMatchObject({ username: 'AWS', password: 'a:password' });
  await auth({ ...USE, push: true });
  const [creation, token, ...more] = calls.filter(({ path }) => path === '/');
  expect([JSON.parse(creation?.body ?? ''), more]).toEqual([{ repositoryName: 'models/wine' }, []]);
  expect(token?.headers.authorization).toMatch(/Credential=ASIAWORKLOAD\/\d+\/eu-west-1\/ecr\//);
  expect(token?.headers.authorization).toMatch(/Credential=ASIAWORKLOAD\/\d+\/eu-west-1\/ecr\//);
});
