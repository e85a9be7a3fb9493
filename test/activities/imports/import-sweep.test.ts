import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createImportSweep, type ImportSweepDeps } from '../../../activities/imports/import-sweep.js';
import { type DatasetImport, NO_COUNTS } from '../../../reference/dataset/import.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { RoundResult } from '../../../platform/kinds/round.js';
import { createImports } from '../../../reference/stores/imports.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { runTurn } from '../../../activities/shared/round.js';
import { newAttempt } from '../shared/environment.js';

const HOUR_MS = 3_600_000;
const sweepImports = (deps: ImportSweepDeps): Promise<RoundResult> =>
  newAttempt().run(() => runTurn([{ name: 'import', items: createImportSweep(deps) }]));

function createScene() {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const now = (): Date => new Date(time);
  const imports = createImports({ database: createMemoryDatabase(), objects: createMemoryObjects({ now }) });
  const open = new Set<string>();
  const started: string[] = [];
  const temporal = { away: false };
  const importRuns = {
    start: async ({ id }: { id: string }) => {
      if (temporal.away) throw new SlipwayError('unavailable', 'Temporal does not answer');
      started.push(id);
      open.add(id);
    },
  };
  const isImportOpen = async (id: string): Promise<boolean> => open.has(id);
  const begin = async (id: string, state: DatasetImport['state'] = 'uploading'): Promise<DatasetImport> => {
    const given: DatasetImport = {
      id,
      dataset: 'skills',
      actor: 'key:k1',
      options: {
        format: 'ndjson',
        mode: 'upsert',
        dry_run: false,
        on_error: 'stop',
        max_errors: 1,
        announce: 'at_end',
      },
      state,
      created_at: now().toISOString(),
      counts: NO_COUNTS,
      errors: [],
      cursor: { offset: 0, line: 0 },
    };
    await imports.begin(given);
    await imports.append(id, 0, Readable.from([Buffer.from('first')]));
    return given;
  };
  return {
    imports,
    open,
    started,
    temporal,
    begin,
    more: (id: string) => imports.append(id, 5, Readable.from([Buffer.from('more')])),
    pass: (hours: number) => void (time += hours * HOUR_MS),
    sweep: async () => (await sweepImports({ imports, importRuns, isImportOpen, now })).done,
  };
}

test.each(['queued', 'running'] as const)(
  'an import that is %s without a run gets one, and one alone',
  async (state) => {
    const { begin, open, started, sweep } = createScene();
    await begin('imp_1', state);
    await begin('imp_2', state);
    open.add('imp_2');
    expect(await sweep()).toEqual({ imports_started: 1 });
    expect(await sweep()).toEqual({});
    expect(started).toEqual(['imp_1']);
  },
);

test('a run that ended just now is not started again', async () => {
  const { imports, begin, started } = createScene();
  const given = await begin('imp_1', 'running');
  const importRuns = { start: async ({ id }: { id: string }) => void started.push(id) };
  // It ends between the two questions.
  const isImportOpen = async (): Promise<boolean> => {
    await imports.put({ ...given, state: 'succeeded' });
    return false;
  };
  await sweepImports({ imports, importRuns, isImportOpen });
  expect(started).toEqual([]);
});

test('of an import that is over nothing is left to look after', async () => {
  const { imports, begin, sweep } = createScene();
  for (const state of ['succeeded', 'failed', 'canceled'] as const) await begin(`imp_${state}`, state);
  await begin('imp_open');
  await sweep();
  expect(await imports.open()).toEqual(['imp_open']);
  expect(await Promise.all(['imp_succeeded', 'imp_open'].map((id) => imports.uploaded(id)))).toEqual([0, 5]);
  expect((await imports.get('imp_succeeded')).state).toBe('succeeded');
});

test('an upload ends a day after its last part, and its bytes with the next sweep', async () => {
  const { imports, begin, more, pass, sweep } = createScene();
  await begin('imp_1');
  pass(23);
  expect(await sweep()).toEqual({});
  await more('imp_1');
  pass(24);
  expect(await sweep()).toEqual({});
  pass(1);
  expect(await sweep()).toEqual({ imports_canceled: 1 });
  expect(await imports.get('imp_1')).toMatchObject({ state: 'canceled', message: 'nothing was uploaded for 24 hours' });
  expect(await imports.uploaded('imp_1')).toBe(9);
  await sweep();
  expect(await imports.uploaded('imp_1')).toBe(0);
  expect(await imports.open()).toEqual([]);
});

test('one that cannot be started now holds up no other, and is started later', async () => {
  const { imports, begin, temporal, started, sweep } = createScene();
  await begin('imp_1', 'queued');
  await begin('imp_2', 'succeeded');
  temporal.away = true;
  expect(await sweep()).toEqual({ skipped: 1 });
  expect(await imports.open()).toEqual(['imp_1']);
  temporal.away = false;
  await sweep();
  expect(started).toEqual(['imp_1']);
});
