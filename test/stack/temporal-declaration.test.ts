import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationFor } from '../../stack/services/temporal.js';
import { parseTemporalDeclaration, readTemporalDeclaration } from '../../stack/temporal-declaration.js';
import { inScratchFolder } from './scratch.js';

const FILE = join(import.meta.dirname, '..', '..', 'temporal-dev.yaml');

async function changed(change: Record<string, unknown>): Promise<string> {
  return stringify({ ...parse(await readFile(FILE, 'utf8')), ...change });
}

test('the file declares what the workflows rely on', () => {
  const { searchAttributes, retentionDays, dynamicConfiguration, namespace } = readTemporalDeclaration();
  expect(searchAttributes).toEqual({
    ResourceKind: 'Keyword',
    ResourceId: 'Keyword',
    ModelName: 'Keyword',
    ModelVersion: 'Keyword',
    PipelineId: 'Keyword',
    Trigger: 'Keyword',
    ScheduleSettings: 'Keyword',
    SlipwayHealth: 'Keyword',
  });
  expect(namespace).toBe('default');
  expect(retentionDays).toBeGreaterThan(1);
  expect(dynamicConfiguration['history.transferProcessorMaxPollRPS']).toBe(1000);
});

test('an address beyond the loopback is refused', async () => {
  const text = await changed({ address: '0.0.0.0:7233' });
  expect(() => parseTemporalDeclaration(text)).toThrow(
    'temporal-dev.yaml is not valid: address: must be a port of 127.0.0.1',
  );
});

test('a misspelt key is refused by name', async () => {
  const text = await changed({ retentiondays: 3 });
  expect(() => parseTemporalDeclaration(text)).toThrow('retentiondays');
});

test('fair queues begin with a new database: an older one keeps the queues in which its tasks wait', async () => {
  const declaration = readTemporalDeclaration();
  const isFair = async (database: string) =>
    (await configurationFor(database, declaration))['matching.enableFairness'] === true;
  await inScratchFolder(async (folder) => {
    const older = join(folder, 'older.db');
    await writeFile(older, '');
    expect(await isFair(older)).toBe(false);
    expect(await isFair(older)).toBe(false);

    const database = join(folder, 'temporal.db');
    expect(await isFair(database)).toBe(true); // and is killed before it makes the file
    expect(await isFair(database)).toBe(true);
    await writeFile(database, '');
    expect(await isFair(database)).toBe(true);

    await rm(older);
    expect(await isFair(older)).toBe(true);
  });
});
