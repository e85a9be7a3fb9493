import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { DatasetLogBeginning } from '../../../reference/dataset/log-beginning.js';
import { createDatasetLogRetention } from '../../../reference/stores/dataset-log-retention.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { collections } from '../../../platform/stores/collections.js';
import { createStreamLog } from '../../../platform/stores/stream-log.js';

test('the beginning of a log holds the declaration in force there, and whether an import held it', async () => {
  const database = createMemoryDatabase();
  const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: 'positions' });
  const retention = createDatasetLogRetention({ database, log, stream: 'positions' });
  const spec = DatasetSpec.parse({ fields: { title: { type: 'text' } } });
  const contents: LogContent[] = [
    { kind: 'schema', spec, schema: 7, actor: 'ana' },
    { kind: 'hold', import: 'imp_1' },
    { kind: 'changes', changes: [] },
    { kind: 'discard', import: 'imp_1' },
    { kind: 'heartbeat' },
  ];
  for (const [index, content] of contents.entries()) {
    await log.insert({ ...content, position: index + 1, at: '2026-01-01T00:00:00.000Z', token: randomUUID() });
  }
  expect(await retention.beginning()).toEqual({ purgedTo: 0 });
  const declared = { fields: spec.fields, generation: 7, position: 1 };
  const seen: unknown[] = [];
  for (const before of [3, 4, 5]) {
    await retention.purge({ before, olderThan: '9999' });
    // Another process reads the same.
    const { purgedTo, isHeld, ...rest }: DatasetLogBeginning = await createDatasetLogRetention({
      database,
      log,
      stream: 'positions',
    }).beginning();
    seen.push([purgedTo, isHeld]);
    expect(rest).toMatchObject({ declared });
  }
  expect(seen).toEqual([
    [2, true],
    [3, true],
    [4, false],
  ]);
});
