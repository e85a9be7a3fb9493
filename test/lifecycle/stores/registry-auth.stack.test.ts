import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRegistryAuth } from '../../../lifecycle/stores/registry-auth.js';
import { failureIn } from '../../../platform/kinds/reasons.js';
import { openRepository } from '../../../platform/registry/repository.js';
import { newConnection } from '../../activities/shared/resources.js';
import { KEYS, startMoto } from '../../clouds/moto.js';
import { leadTo } from '../../clouds/token-services.js';
import { randomBlob } from '../../platform/registry/contract.js';
import { type RegistryProcess, startRegistry } from '../../platform/registry/registry-process.js';
import { startTokenRealm } from '../../platform/registry/token-realm.js';

const HOST = '123456789012.dkr.ecr.eu-west-1.amazonaws.com';
/** Those of the account of moto. */
const USER = { username: 'AWS', password: '123456789012-auth-token' };
const IMAGE = `${HOST}/models/wine:1`;

let amazon: Awaited<ReturnType<typeof startMoto>>;
let registry: RegistryProcess;
let realm: Awaited<ReturnType<typeof startTokenRealm>>;
beforeAll(async () => {
  [amazon, registry] = await Promise.all([
    startMoto(),
    startRegistry(async (folder) => {
      realm = await startTokenRealm(folder, USER);
      // Credentials go to a realm on the site of the registry only.
      return { auth: { token: { ...realm.settings.auth.token, realm: `https://${HOST}/token` } } };
    }),
  ]);
  vi.stubEnv('AWS_ENDPOINT_URL_ECR', amazon.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([amazon.stop(), registry.stop()]);
  realm.stop();
});

const registryAuth = createRegistryAuth({ openSecret: (sealed) => sealed, ambientRegistries: [] });
const connection = newConnection('ecr', {
  ...{ type: 'ecr', uri: `${HOST}/models`, region: 'eu-west-1' },
  ...{ keyID: KEYS.accessKeyId, keySecret: KEYS.secretAccessKey },
});

test('an image is pushed and pulled with the token that Amazon gives for the keys of a connection', async () => {
  const reason = 'PushFailed';
  const auth = await registryAuth(IMAGE, connection, { reason, push: true });
  expect(auth).toMatchObject({ ...USER, serveraddress: HOST });
  // Again, as another worker would: the repository is there already.
  const other = createRegistryAuth({ openSecret: (sealed) => sealed, ambientRegistries: [] });
  await other(IMAGE, connection, { reason, push: true });
  const { signal } = new AbortController();
  const dispatcher = leadTo((path) =>
    path.startsWith('/token') ? new URL(realm.realm).origin : `http://${registry.host}`,
  );
  const repositoryOf = (given: typeof auth) =>
    openRepository({ name: `${HOST}/models/wine`, auth: given, signal, reason, dispatcher, pausesMs: [] });
  const blob = randomBlob(100_000);
  await repositoryOf(auth).uploadBlob(blob);
  expect(await repositoryOf(auth).hasBlob(blob.digest)).toBe(true);
  const denied: unknown = await repositoryOf(undefined)
    .uploadBlob(randomBlob(10))
    .catch((err: unknown) => err);
  expect(failureIn(denied)?.message).toContain('answers 401');
});
