import { CancelledFailure } from '@temporalio/activity';
import { afterEach, expect, test } from 'vitest';
import type { ImportContext } from '../../../activities/imports/import-context.js';
import { importRows } from '../../../activities/imports/import-rows.js';
import type { ImportOptions } from '../../../reference/dataset/import.js';
import type { Imports } from '../../../reference/stores/imports.js';
import { newAttempt } from '../shared/environment.js';
import { createWorld, lines, people, peopleIn, stopProcesses } from './import-scene.js';

afterEach(stopProcesses);

/** Opens an upload, and reads it with blocks of three rows; the cursor of each stored block is noted. */
async function open(text: string, options: Partial<ImportOptions> = {}, more: Partial<ImportContext> = {}) {
  const { process, upload } = await createWorld();
  const importId = await upload(text, options);
  const stored: [line: number, offset: number][] = [];
  const imports: Imports = {
    ...process.imports,
    put: async (given) => {
      stored.push([given.cursor.line, given.cursor.offset]);
      await process.imports.put(given);
    },
  };
  const context: ImportContext = {
    ...{ ...process, imports, now: () => new Date(), blockRows: 3, blockBytes: 10_000 },
    ...more,
  };
  const run = (attempt = newAttempt()) => attempt.run(() => importRows(context, { importId }));
  return { process, importId, run, stored, read: () => process.imports.get(importId) };
}

test('progress is stored after each block, then the end of the upload', async () => {
  const { run, stored, read } = await open(lines(people(1, 7)));
  await run();
  expect(stored.map(([line]) => line)).toEqual([3, 6, 7, 7]);
  expect(await read()).toMatchObject({ cursor: { isRead: true }, counts: { rows_read: 7, created: 7 } });
});

test('an upload that was read is not read again', async () => {
  const { run, stored } = await open(lines(people(1, 2)));
  await run();
  const before = stored.length;
  await run(newAttempt({ attempt: 2 }));
  expect(stored).toHaveLength(before);
});

test('each line is shown as progress, in order', async () => {
  const { run } = await open(lines(people(1, 7)));
  const attempt = newAttempt();
  const beats: unknown[] = [];
  attempt.on('heartbeat', (details) => beats.push(details));
  await run(attempt);
  const shown = beats.filter((each) => typeof each === 'number');
  expect(shown).toEqual([3, 6, 7]);
});

test('an empty upload ends with no rows', async () => {
  const { run, read } = await open('\n  \n');
  await run();
  expect(await read()).toMatchObject({ cursor: { isRead: true }, counts: { rows_read: 0, failed: 0 } });
});

test('a next attempt continues after the last stored block, and counts each row once', async () => {
  const text = lines(people(1, 8));
  let writes = 0;
  const first = await open(text);
  const { process, importId } = first;
  const dying = {
    ...process.writes,
    put: async (...args: Parameters<typeof process.writes.put>) => {
      writes += 1;
      if (writes === 5) throw new Error('the process died here');
      return process.writes.put(...args);
    },
  };
  const context: ImportContext = {
    ...{ ...process, writes: dying, now: () => new Date(), blockRows: 3, blockBytes: 10_000 },
  };
  await expect(newAttempt().run(() => importRows(context, { importId }))).rejects.toThrow('died here');
  expect(await first.read()).toMatchObject({ cursor: { line: 3 }, counts: { created: 3 } });
  await first.run(newAttempt({ attempt: 2 }));
  expect((await first.read()).counts).toMatchObject({ rows_read: 8, created: 8, updated: 0, unchanged: 0 });
});

test('a canceled attempt stores nothing over the progress of the next one', async () => {
  const { process, importId } = await open(lines(people(1, 6)));
  const attempt = newAttempt();
  const stored: number[] = [];
  const writes = {
    ...process.writes,
    put: async (...args: Parameters<typeof process.writes.put>) => {
      attempt.cancel();
      return process.writes.put(...args);
    },
  };
  const imports: Imports = { ...process.imports, put: async (given) => void stored.push(given.cursor.line) };
  const context = { ...process, imports, writes, now: () => new Date(), blockRows: 3, blockBytes: 10_000 };
  await expect(attempt.run(() => importRows(context, { importId }))).rejects.toBeInstanceOf(CancelledFailure);
  expect(stored).toEqual([]);
});

test.each([
  ['stop', 100, 3, 'row 3 is the last of its block'],
  ['skip', 1, 6, 'the second failed row is one too many'],
  ['skip', 2, undefined, 'as many failed rows as are allowed'],
] as const)('with on_error %s and max_errors %s it stops at line %s: %s', async (on_error, max_errors, at, _) => {
  const rows = [...people(1, 2), { id: '3' }, { id: '4' }, ...people(5, 12)];
  const { run, read } = await open(lines(rows), { on_error, max_errors });
  if (at === undefined) await run();
  else {
    const failure = { code: 'run_failed', detail: { reason: 'DataCopyFailed' } };
    await expect(run()).rejects.toMatchObject({ ...failure, message: expect.stringContaining('line 3') });
  }
  expect((await read()).cursor.line).toBe(at ?? 12);
});

test('a CSV whose columns do not exist ends the run before a row is written', async () => {
  const { run, process } = await open('id,name,nmae\n1,a,b\n', { format: 'csv' });
  await expect(run()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'DataCopyFailed' } },
    message: expect.stringContaining('"nmae"'),
  });
  expect(await peopleIn(process)).toEqual({});
});

test('a CSV continues behind its header, whose columns the cursor keeps', async () => {
  const text = `name,id\n${Array.from({ length: 5 }, (_, index) => `n${index + 1},${index + 1}`).join('\n')}\n`;
  const { run, process, importId, read } = await open(text, { format: 'csv' });
  const { cursor, ...given } = await read();
  // The first two rows are behind the cursor.
  const offset = Buffer.byteLength('name,id\nn1,1\nn2,2\n');
  await process.imports.put({ ...given, cursor: { ...cursor, offset, line: 3, columns: ['name', 'id'] } });
  await run();
  expect(Object.keys(await peopleIn(process))).toEqual(['3', '4', '5']);
  expect(importId).toBe((await read()).id);
});

test('a block ends earlier when its rows are large', async () => {
  const rows = people(1, 4).map((row) => ({ ...row, name: 'x'.repeat(60) }));
  const { run, stored } = await open(lines(rows), {}, { blockBytes: 150 });
  await run();
  expect(stored.map(([line]) => line)).toEqual([2, 4, 4, 4]);
});
