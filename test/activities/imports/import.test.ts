import { afterEach, expect, test } from 'vitest';
import { createImportActivities } from '../../../activities/imports/import.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { newAttempt } from '../shared/environment.js';
import { createWorld, lines, people, peopleIn, run, stopProcesses } from './import-scene.js';

afterEach(stopProcesses);

test('rows are created, updated, left as they are, or listed with what is wrong with them', async () => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const rows = [
    { id: '20', name: 'new', boss: { id: '21' } }, // that of a row in the same block
    { id: '21', name: 'boss', boss: { id: '20' } },
    ...people(1, 3),
    { id: '4', name: 'changed', skills: [{ id: '1' }] },
    { id: '23', name: 'new too' },
    { id: '5', name: 'bad', skills: [{ id: '9' }] },
    { id: '6', nmae: 'worse' },
    { name: 'without an id' },
    { id: '22', name: 'first' },
    { id: '22', name: 'second' },
  ];
  const done = await run(await upload(`${lines(rows)}\nno json\n`), process);
  expect(done).toMatchObject({
    state: 'succeeded',
    counts: { rows_read: 13, created: 4, updated: 2, unchanged: 3, deleted: 0, failed: 4 },
  });
  expect(done.errors.map(({ line, code, pointer }) => [line, code, pointer])).toEqual([
    [8, 'entity.unknown_reference', '/skills/0/id'],
    [9, 'entity.unknown_field', '/nmae'],
    [9, 'entity.required', '/name'],
    [10, 'id.malformed', '/id'],
    [13, 'row.malformed', undefined],
  ]);
  const found = await peopleIn(process);
  expect(found['22']).toEqual([2, 'second']);
  expect(found['4']).toEqual([2, 'changed']);
});

const MIXED = lines([...people(1, 4), ...people(5, 9, 'changed'), ...people(30, 41), { id: '50' }]);

test.each(['upsert', 'insert_only', 'replace'] as const)(
  'a dry run of %s counts what a real one does',
  async (mode) => {
    const { process, upload, fill } = await createWorld();
    await fill();
    const before = await peopleIn(process);
    const dry = await run(await upload(MIXED, { mode, dry_run: true }), process);
    expect(await peopleIn(process)).toEqual(before);
    const real = await run(await upload(MIXED, { mode }), process);
    expect(await peopleIn(process)).not.toEqual(before);
    expect(real.counts).toEqual(dry.counts);
    expect(real.errors).toEqual(dry.errors);
  },
);

test('what replace does not find it deletes', async () => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const done = await run(await upload(lines(people(3, 8)), { mode: 'replace' }), process);
  expect(done.counts).toMatchObject({ unchanged: 6, deleted: 6 });
  expect(Object.keys(await peopleIn(process))).toEqual(['3', '4', '5', '6', '7', '8']);
});

test('on the first error it stops, and blocks after it are not written', async () => {
  const { process, upload } = await createWorld();
  const rows = [...people(1, 7), { id: '8' }, ...people(9, 30)];
  const done = await run(await upload(lines(rows), { on_error: 'stop' }), process);
  expect(done.state).toBe('failed');
  expect(done.message).toContain('line 8, is required');
  expect(Object.keys(await peopleIn(process))).toHaveLength(9);
});

test('rows that are long come in smaller blocks', async () => {
  const { process, upload } = await createWorld();
  const rows = [...people(1, 2), { id: '3' }, ...people(4, 9)];
  const steps = createImportActivities({ ...process, blockRows: 5, blockBytes: 10 });
  const done = await run(await upload(lines(rows), { on_error: 'stop' }), { ...process, steps });
  expect(done.counts).toMatchObject({ rows_read: 3, created: 2, failed: 1 });
});

test('announced at the end, readers see nothing before it, and nothing at all when it fails', async () => {
  const { openProcess, process, upload, fill } = await createWorld();
  const reader = await openProcess();
  await fill();
  const before = await peopleIn(reader);
  const importId = await upload(lines(people(1, 20, 'x')), { announce: 'at_end' });
  await newAttempt().run(() => process.steps.beginImport({ importId }));
  await newAttempt().run(() => process.steps.importRows({ importId }));
  expect(await peopleIn(reader)).toEqual(before);
  const write = { dataset: 'people', id: 1n, actor: 'other' };
  await expect(reader.writes.put(write, { name: 'y' })).rejects.toMatchObject({ code: 'import.running' });
  await newAttempt().run(() => process.steps.finishImport({ importId }));
  expect((await peopleIn(reader))['20']).toEqual([1, 'x20']);

  const failing = await upload(lines([...people(1, 9, 'z'), { id: '5' }]), { announce: 'at_end', on_error: 'stop' });
  expect((await run(failing, process)).state).toBe('failed');
  expect((await peopleIn(reader))['1']).toEqual([3, 'x1']); // its version is used up
  await reader.writes.put(write, { name: 'y' });
  expect((await peopleIn(reader))['1']).toEqual([4, 'y']);
});

test('what something refers to is not deleted, and nothing else is then', async () => {
  const { process, upload, fill } = await createWorld();
  await fill();
  await process.writes.put({ dataset: 'people', id: 20n, actor: 'test' }, { name: 'x', boss: { id: '12' } });
  const rows = [...people(1, 8), { id: '20', name: 'x', boss: { id: '12' } }];
  for (const dry_run of [true, false]) {
    const done = await run(await upload(lines(rows), { mode: 'replace', dry_run }), process);
    expect([done.state, done.message]).toEqual([
      'failed',
      'people 12 is absent from the upload, and people 20 refers to it',
    ]);
  }
  expect(Object.keys(await peopleIn(process))).toHaveLength(13);
});

test('an import ends although its dataset was dropped', async () => {
  const { process, upload } = await createWorld();
  const importId = await upload(lines(people(1, 9)));
  await newAttempt().run(() => process.steps.beginImport({ importId }));
  await createDeclarations(process).drop({ name: 'people', actor: 'test' });
  expect((await run(importId, process)).state).toBe('failed');
});
