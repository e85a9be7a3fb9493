import { expect, test } from 'vitest';
import { installationId } from '../../../platform/stores/installation.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

test('the first choice counts for as long as the database lives, also among processes that start together', async () => {
  const database = createMemoryDatabase();
  const [first, ...others] = await Promise.all(['a', 'b', 'c'].map((choice) => installationId(database, choice)));
  expect(['a', 'b', 'c']).toContain(first);
  expect(others).toEqual([first, first]);
  expect(await installationId(database, 'another password in the address')).toBe(first);
});

test('another database is another installation', async () => {
  expect(await installationId(createMemoryDatabase(), 'a')).toBe('a');
  expect(await installationId(createMemoryDatabase(), 'b')).toBe('b');
});
