import { expect, test } from 'vitest';
import { createApiKeys } from '../../../platform/stores/api-keys.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const DAY_MS = 86_400_000;
const AT = Date.parse('2026-02-11T00:00:00Z');
const inDays = (days: number): string => new Date(AT + days * DAY_MS).toISOString();

async function open(mostDays?: number, database = createMemoryDatabase()) {
  let time = AT;
  const keys = createApiKeys({ database, mostDays, now: () => new Date(time) });
  await keys.start();
  const issue = (expires_at?: string) => keys.issue({ name: 'one', scopes: ['data:read:*'], expires_at }, 'tester');
  return { keys, issue, database, wait: (days: number) => void (time += days * DAY_MS) };
}

test('a key without an end of its own ends with the longest life; rotation does not prolong it', async () => {
  const { keys, issue, wait } = await open(30);
  const { key, secret } = await issue();
  expect(key.expires_at).toBe(inDays(30));
  wait(29);
  expect(keys.verify(secret)?.id).toBe(key.id);
  const rotated = await keys.rotate(key.id, 3_600, 'tester');
  wait(1);
  expect([keys.verify(secret), keys.verify(rotated.secret)]).toEqual([undefined, undefined]);
  await keys.stop();
});

test('an end beyond the longest life is refused, and an earlier one holds', async () => {
  const { keys, issue } = await open(30);
  await expect(issue(inDays(31))).rejects.toMatchObject({ code: 'entity.invalid' });
  expect((await issue(inDays(10))).key.expires_at).toBe(inDays(10));
  await keys.stop();
});

test('a key that was issued before the limit ends as well', async () => {
  const before = await open();
  const { key, secret } = await before.issue();
  expect(key.expires_at).toBeNull();
  await before.keys.stop();
  const { keys, wait } = await open(30, before.database);
  expect(keys.verify(secret)?.expires_at).toBe(inDays(30));
  wait(30);
  expect(keys.verify(secret)).toBeUndefined();
  await keys.stop();
});
