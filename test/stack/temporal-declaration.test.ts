import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTemporalDeclaration, readTemporalDeclaration } from '../../stack/temporal-declaration.js';

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
