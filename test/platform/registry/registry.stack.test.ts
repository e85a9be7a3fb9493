import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureIn } from '../../../platform/kinds/reasons.js';
import { openRepository } from '../../../platform/registry/repository.js';
import type { SessionOptions } from '../../../platform/registry/session.js';
import { MIB, nameOf, randomBlob, registryContract } from './contract.js';
import { startCuttingProxy } from './cutting-proxy.js';
import { type RegistryProcess, startRegistry } from './registry-process.js';
import { startTokenRealm, USER } from './token-realm.js';

const { signal } = new AbortController();
const openAt = (host: string, changes: Partial<SessionOptions> = {}) =>
  openRepository({ name: nameOf(host, 'one'), signal, reason: 'PushFailed', pausesMs: [10, 20, 30], ...changes });
const auth = { ...USER, serveraddress: 'registry' };

describe('an open registry', () => {
  let registry: RegistryProcess;
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(() => registry.stop());

  registryContract({ host: () => registry.host });

  test('an upload and a download survive connections that break off', async () => {
    const proxy = await startCuttingProxy(registry.host);
    try {
      const repository = openAt(proxy.host);
      const blob = randomBlob(40 * MIB);
      proxy.cuts.push({ direction: 'up', bytes: 5 * MIB }, { direction: 'up', bytes: 9 * MIB });
      let opened = 0;
      await repository.uploadBlob({ ...blob, open: (start) => ((opened += 1), blob.open(start)) });
      expect(proxy.cuts).toEqual([]);
      // This registry forgets an upload that is cut off, so it starts over.
      expect(opened).toBeLessThanOrEqual(3);
      proxy.cuts.push({ direction: 'down', bytes: 11 * MIB }, { direction: 'down', bytes: 3 * MIB });
      expect((await buffer(repository.readBlob(blob))).equals(blob.bytes)).toBe(true);
      expect(proxy.cuts).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  test('a registry that is killed in the middle of an upload gets the rest when it is back', async () => {
    const repository = openAt(registry.host, { pausesMs: Array.from({ length: 40 }, () => 250) });
    const blob = randomBlob(40 * MIB);
    let opened = 0;
    const open = (start: number) => {
      opened += 1;
      if (opened === 1) void registry.kill().then(() => registry.restart());
      return blob.open(start);
    };
    await repository.uploadBlob({ ...blob, open });
    expect((await buffer(repository.readBlob(blob))).equals(blob.bytes)).toBe(true);
  });

  test('a registry that does not answer is waited for', async () => {
    await registry.kill();
    const refusal: unknown = await openAt(registry.host)
      .manifestDigest('1')
      .catch((err: unknown) => err);
    await registry.restart();
    expect(refusal).toMatchObject({
      code: 'unavailable',
      publicMessage: 'the image registry cannot be used for now: it cannot be reached',
      detail: { reason: 'PushFailed' },
    });
  });
});

describe('a registry that asks for tokens', () => {
  let registry: RegistryProcess;
  let realm: Awaited<ReturnType<typeof startTokenRealm>>;
  beforeAll(async () => {
    registry = await startRegistry(async (folder) => (realm = await startTokenRealm(folder)).settings);
  });
  afterAll(async () => {
    await registry.stop();
    realm.stop();
  });

  registryContract({ host: () => registry.host, auth });

  test('a token is asked for once for each scope', async () => {
    const repository = openAt(registry.host, { auth });
    realm.asked.length = 0;
    for (const size of [1_000, 2_000]) await repository.uploadBlob(randomBlob(size));
    const [reading, writing] = realm.asked;
    expect(realm.asked).toHaveLength(2);
    expect(reading).toEqual([`repository:${repository.path}:pull`]);
    // The registry names the actions of a scope in no order.
    expect(writing).toEqual([
      expect.stringMatching(new RegExp(`^repository:${repository.path}:(pull,push|push,pull)$`)),
    ]);
  });

  test('without credentials it reads and does not write; with wrong ones it does neither', async () => {
    const blob = randomBlob(1_000);
    await openAt(registry.host, { auth }).uploadBlob(blob);
    const anonymous = openAt(registry.host);
    expect((await buffer(anonymous.readBlob(blob))).equals(blob.bytes)).toBe(true);
    const errorOf = (work: Promise<unknown>) => work.catch((err: unknown) => err);
    const denied = await errorOf(anonymous.uploadBlob(randomBlob(1_000)));
    const wrong = openAt(registry.host, { auth: { ...auth, password: 'the wrong one' } });
    for (const refusal of [denied, await errorOf(wrong.hasBlob(blob.digest))]) {
      expect(failureIn(refusal)).toMatchObject({
        reason: 'PushFailed',
        message: expect.stringMatching(/answers 401.*check the credentials/),
      });
      expect(JSON.stringify([String(refusal), refusal])).not.toMatch(/the wrong one|open sesame/);
    }
  });
});
