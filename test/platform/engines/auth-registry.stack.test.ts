import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reasonOf } from '../../../platform/engines/refusal.js';
import type { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import { registryAuthBy } from '../../activities/shared/registry-deps.js';
import { newConnection } from '../../activities/shared/resources.js';
import { startAuthRegistry } from './auth-registry.js';
import { contextOf } from './contract-images.js';

let registry: Awaited<ReturnType<typeof startAuthRegistry>>;
let image: string;
beforeAll(async () => {
  registry = await startAuthRegistry();
  image = `${registry.host}/team/wine:${randomUUID()}`;
  // An image of its own: containers of other tests may hold the one that it begins with, and an image in use stays.
  const dockerfile = `FROM slipway.local/python:3.11\nLABEL of="${image}"\n`;
  await registry.engine.build(contextOf(dockerfile), { tag: image, network: 'none' }, () => undefined);
});
afterAll(async () => {
  await registry.engine.removeImage(image);
  await registry.stop();
});

/** Credentials as an activity takes them from a connection. */
const authOf = (changes: Partial<ConnectionSpec> = {}) => {
  const { username, password } = registry.user;
  const spec = { type: 'container-registry', uri: `${registry.host}/team`, username, password, ...changes };
  return registryAuthBy()(image, newConnection('registry', spec), { reason: 'PushFailed' });
};
const push = (auth?: Awaited<ReturnType<typeof authOf>>) => registry.engine.push(image, auth, () => undefined);
const errorOf = (work: Promise<unknown>) => work.catch((err: unknown) => err);

test('a push without credentials, or with wrong ones, is refused; no word of it holds the password', async () => {
  const password = 'the wrong one';
  for (const auth of [undefined, await authOf({ password }), await authOf({ username: 'ben' })]) {
    const refusal = await errorOf(push(auth));
    expect(reasonOf(refusal)).toBe('PushFailed');
    expect(String(refusal)).toMatch(/unauthorized|authentication required/i);
    expect(JSON.stringify([String(refusal), refusal])).not.toMatch(/the wrong one|open sesame/);
  }
});

test('what was pushed with credentials is pulled with them, and with no others', async () => {
  const { digest } = await push(await authOf());
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  await registry.engine.removeImage(image);
  for (const auth of [undefined, await authOf({ password: 'the wrong one' })]) {
    expect(reasonOf(await errorOf(registry.engine.ensureImage(image, auth)))).toBe('ImagePullFailed');
  }
  expect((await registry.engine.ensureImage(image, await authOf())).sizeBytes).toBeGreaterThan(0);
});

test('credentials of a connection to another registry are not sent', async () => {
  expect(await authOf({ uri: 'registry.example.org/team' })).toBeUndefined();
});
