import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../platform/stores/database.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { declare, openProcess } from './dataset-process.js';
import { nameTestDatabase } from '../../platform/stores/test-database.js';

const script = fileURLToPath(new URL('write-until-killed.ts', import.meta.url));
const { uri, name, drop } = nameTestDatabase();
let database: Database;
beforeAll(async () => {
  database = await connectDatabase(uri, name);
});
afterAll(async () => {
  await database.close();
  await drop();
});

/** Lets a process write until it dies at that moment. @returns lines of what it acknowledged */
async function killed(dataset: string, moment: string): Promise<string[]> {
  const args = ['--import', 'tsx', script, uri, name, dataset, ...moment.split(' ')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return output.split('\n').filter(Boolean);
}

// Each step of a write, from both sides.
test.each([
  ['before changes 12', 'nothing of the last write'],
  ['after changes 12', 'its record'],
  ['before log 12', 'its record'],
  ['after log 12', 'all of it'],
])('a writer killed %s leaves %s, and no acknowledged write is lost or doubled', async (moment, left) => {
  const dataset = randomUUID();
  const survivor = openProcess(database, dataset);
  await survivor.follower.append(() => declare(1));
  const acknowledged = await killed(dataset, moment);
  expect(acknowledged).toHaveLength(11);

  await survivor.follower.catchUp();
  // Eleven writes went over ten entities: the twelfth was of entity 2, whose second version it is.
  const record = await survivor.records.get('2', 2);
  expect(record !== undefined).toBe(left !== 'nothing of the last write');
  expect(survivor.replica.latest('2')?.version).toBe(left === 'all of it' ? 2 : 1);
  if (record) await survivor.writer.complete(record);

  const listed: string[] = [];
  for (let position = 2; ; position += 1) {
    const entry = await survivor.log.read(position);
    if (entry?.kind !== 'changes') break;
    listed.push(...entry.changes.map(({ id, version, body }) => `${id} ${version} ${JSON.parse(body ?? '').word}`));
  }
  expect(new Set(listed).size).toBe(listed.length);
  for (const line of acknowledged) expect(listed).toContain(line);
  expect(listed.length - acknowledged.length).toBe(record ? 1 : 0);
  // No record without its write.
  for (const line of listed) {
    const [id = '', version] = line.split(' ');
    expect((await survivor.records.get(id, Number(version)))?.id).toBe(id);
    expect(survivor.replica.latest(id)?.version).toBeGreaterThanOrEqual(Number(version));
  }
});
