import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { createImportActivities } from '../../../activities/imports/import.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { type DatasetImport, type ImportOptions, NO_COUNTS } from '../../../reference/dataset/import.js';
import type { Failure } from '../../../platform/kinds/reasons.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createDatasets, type Datasets } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../reference/stores/row-writes.js';
import { createImports } from '../../../reference/stores/imports.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { newAttempt } from '../shared/environment.js';

const SKILLS = DatasetSpec.parse({ fields: { name: { type: 'text', required: true } } });
const PEOPLE = DatasetSpec.parse({
  fields: {
    name: { type: 'text', required: true },
    boss: { type: 'ref', dataset: 'people' },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
  },
});
const OPTIONS: ImportOptions = {
  format: 'ndjson',
  mode: 'upsert',
  dry_run: false,
  on_error: 'skip',
  max_errors: 100,
  announce: 'as_you_go',
};

const opened: Datasets[] = [];
afterEach(async () => {
  for (const datasets of opened.splice(0)) await datasets.stop();
});

/** Stores of their own with both datasets, and processes on them. */
async function createWorld() {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  let count = 0;

  async function openProcess(given: Database = database) {
    const datasets = createDatasets({ database: given, lazy: true });
    opened.push(datasets);
    await datasets.start();
    const imports = createImports({ database: given, objects });
    const writes = createRowWrites({ datasets });
    return { datasets, imports, writes, steps: createImportActivities({ datasets, imports, writes, blockRows: 5 }) };
  }

  const process = await openProcess();
  const declarations = createDeclarations(process);
  for (const [name, spec] of Object.entries({ skills: SKILLS, people: PEOPLE })) {
    await declarations.declare({ name, spec, actor: 'test', force: false });
  }
  await process.datasets.need('skills');
  await process.writes.put({ dataset: 'skills', id: 1n, actor: 'test' }, { name: 'Welding' });

  async function upload(text: string, options: Partial<ImportOptions> = {}): Promise<string> {
    const id = `imp_${(count += 1)}`;
    const given: DatasetImport = {
      id,
      dataset: 'people',
      actor: 'key:k1',
      options: { ...OPTIONS, ...options },
      state: 'queued',
      created_at: '2026-01-01T00:00:00.000Z',
      counts: NO_COUNTS,
      errors: [],
      cursor: { offset: 0, line: 0 },
    };
    const size_bytes = await process.imports.append(id, 0, Readable.from([Buffer.from(text)]));
    await process.imports.put({ ...given, size_bytes });
    return id;
  }

  /** Twelve people, as they were imported. */
  const fill = async (): Promise<DatasetImport> => run(await upload(lines(people(1, 12))), process);
  return { database, objects, openProcess, process, upload, fill };
}
type Process = Awaited<ReturnType<typeof createWorld>>['process'];

/** The workflow's steps in one process; what fails is recorded as the workflow records it. */
async function run(importId: string, { steps, imports }: Process, attempt = 1): Promise<DatasetImport> {
  const step = <T>(call: () => Promise<T>): Promise<T> => newAttempt({ attempt }).run(call);
  try {
    const { replaces } = await step(() => steps.beginImport({ importId }));
    await step(() => steps.importRows({ importId }));
    if (replaces) await step(() => steps.removeAbsent({ importId }));
    await step(() => steps.finishImport({ importId }));
  } catch (err) {
    if (err instanceof Error && err.message === 'the process died here') throw err;
    await step(() => steps.failImport({ importId, state: 'failed', message: (err as Error).message }));
  }
  return imports.get(importId);
}

async function peopleIn({ datasets }: Process): Promise<Record<string, unknown>> {
  const { dataset } = await datasets.need('people');
  await dataset.follower.catchUp();
  const { rows, visible } = dataset.replica;
  const found: Record<string, unknown> = {};
  for (let row = 0; row < rows.end(); row += 1) {
    if (rows.isAt(row, visible)) {
      const { name, version } = JSON.parse(rows.bytes(row).toString());
      found[String(rows.id(row))] = [version, name];
    }
  }
  return found;
}
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const people = (from: number, to: number, word = 'n') =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ id: String(from + n), name: `${word}${from + n}` }));

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

const guarded = (...validators: object[]) => DatasetSpec.parse({ ...PEOPLE, validators });

test.each([
  [{ rule: 'row_count', min: 15 }, '12 rows, at least 15'],
  [{ rule: 'row_count', max: 10 }, '12 rows, at most 10'],
  [{ rule: 'unique', field: 'name' }, 'two rows would have name "n2"'],
  [{ rule: 'references' }, '1 references would lead to nothing'],
])('a state that %j is against is not announced, and the one before stays', async (validator, message) => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const before = await peopleIn(process);
  const declare = { name: 'people', spec: guarded(validator), actor: 'test', force: false };
  await createDeclarations(process).declare(declare);
  await process.writes.put({ dataset: 'skills', id: 7n, actor: 'test' }, { name: 'Gone soon' });
  const rows = [...people(1, 10), { id: '11', name: 'n2', skills: [{ id: '7' }] }];
  const importId = await upload(lines(rows), { announce: 'at_end' });
  await newAttempt().run(() => process.steps.beginImport({ importId }));
  await newAttempt().run(() => process.steps.importRows({ importId }));
  await process.writes.remove({ dataset: 'skills', id: 7n, actor: 'test' });
  const done = await run(importId, process);
  expect([done.state, done.message]).toEqual(['failed', expect.stringContaining(message)]);
  expect(Object.keys(await peopleIn(process))).toEqual(Object.keys(before));
  expect((await peopleIn(process))['11']).toEqual([2, 'n11']); // its version is used up
  const { replica } = process.datasets.get('people').dataset;
  expect(replica.blocked).toEqual({ import: importId, message: expect.stringContaining(message), at: replica.at });
  await process.writes.put({ dataset: 'skills', id: 7n, actor: 'test' }, { name: 'Back' });
  // Another failure says nothing new of the state; one that is announced takes its place.
  await run(await upload('{"id":"x"}', { announce: 'at_end', on_error: 'stop' }), process);
  expect(replica.blocked?.import).toBe(importId);
  await createDeclarations(process).declare({ ...declare, spec: guarded({ rule: 'row_count', min: 1, max: null }) });
  expect(replica.blocked).toBeUndefined();
});

test('what blocked a state is forgotten with the next one that is announced', async () => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const declare = { name: 'people', spec: guarded({ rule: 'unique', field: 'name' }), actor: 'test', force: false };
  await createDeclarations(process).declare(declare);
  const { replica } = process.datasets.get('people').dataset;
  await run(await upload(lines([{ id: '13', name: 'n2' }]), { announce: 'at_end' }), process);
  expect(replica.blocked?.message).toBe('two rows would have name "n2"');
  await run(await upload(lines(people(13, 13)), { announce: 'at_end' }), process);
  expect(replica.blocked).toBeUndefined();
});

test.each(['as_you_go', 'at_end'] as const)('what would delete too much deletes nothing: %s', async (announce) => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const spec = guarded({ rule: 'max_drop_percent', value: 25 });
  await createDeclarations(process).declare({ name: 'people', spec, actor: 'test', force: false });
  const options = { mode: 'replace', announce } as const;
  const dry = await run(await upload(lines(people(1, 8)), { ...options, dry_run: true }), process);
  const done = await run(await upload(lines(people(1, 8)), options), process);
  for (const { state, message } of [dry, done]) {
    expect([state, message]).toEqual(['failed', '33.3 % of 12 rows would be gone, at most 25 % may']);
  }
  expect(Object.keys(await peopleIn(process))).toHaveLength(12);
  const fine = await run(await upload(lines([...people(1, 8), ...people(30, 31)]), options), process);
  expect(fine).toMatchObject({ state: 'succeeded', counts: { created: 2, deleted: 4 } });
});

test('an import ends although its dataset was dropped', async () => {
  const { process, upload } = await createWorld();
  const importId = await upload(lines(people(1, 9)));
  await newAttempt().run(() => process.steps.beginImport({ importId }));
  await createDeclarations(process).drop({ name: 'people', actor: 'test' });
  expect((await run(importId, process)).state).toBe('failed');
});

/** A database whose process dies at the n-th write into one of these collections. */
function mortal(database: Database, nth: number): Database {
  let writes = 0;
  let dead = false;
  const live = async <T>(name: string, write: () => Promise<T>): Promise<T> => {
    if (['changes', 'log', 'imports'].includes(name)) writes += 1;
    dead ||= writes === nth;
    if (dead) throw new Error('the process died here');
    return write();
  };
  return {
    ...database,
    table<R extends Row>(name: string): Table<R> {
      const table = database.table<R>(name);
      return {
        ...table,
        insert: (row) => live(name, () => table.insert(row)),
        insertAll: (rows) => live(name, () => table.insertAll(rows)),
        put: (row) => live(name, () => table.put(row)),
      };
    },
  };
}

test.each(['as_you_go', 'at_end'] as const)(
  'killed at any write and taken up by another process, it ends as one clean run: %s',
  async (announce) => {
    const options = { mode: 'replace', announce } as const;
    const clean = await createWorld();
    await clean.fill();
    const wanted = await run(await clean.upload(MIXED, options), clean.process);
    expect(wanted).toMatchObject({
      state: 'succeeded',
      counts: { created: 12, updated: 5, unchanged: 4, deleted: 3, failed: 1 },
    });
    const state = await peopleIn(clean.process);
    let died = 0;
    for (let nth = 1; ; nth += 1) {
      const world = await createWorld();
      await world.fill();
      const importId = await world.upload(MIXED, options);
      const dying = await world.openProcess(mortal(world.database, nth));
      const first = await run(importId, dying).catch(() => undefined);
      if (first !== undefined) break; // it lived to its end
      died += 1;
      const done = await run(importId, await world.openProcess(), 2);
      expect([nth, done.state, done.counts, done.errors]).toEqual([nth, wanted.state, wanted.counts, wanted.errors]);
      expect(await peopleIn(await world.openProcess())).toEqual(state);
    }
    expect(died).toBeGreaterThan(15);
  },
);

/** As Temporal does it: a step is repeated until it ends, or fails for good. */
async function untilOver(step: () => Promise<unknown>): Promise<{ attempts: number; failure: unknown }> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await newAttempt({ attempt })
      .run(step)
      .then(
        () => null,
        (err: unknown) => err,
      );
    if (failure === null || (failure instanceof ApplicationFailure && failure.nonRetryable === true)) {
      return { attempts: attempt, failure };
    }
    if (attempt === 100) throw new Error('it is repeated without end', { cause: failure });
  }
}

test.each(['as_you_go', 'at_end'] as const)(
  'an upload that is not all there any more ends the import: %s',
  async (announce) => {
    const { process, upload, openProcess, fill, objects } = await createWorld();
    await fill();
    const before = await peopleIn(process);
    const importId = await upload(lines(people(13, 20)), { announce });
    for await (const { key } of objects.list(`imports/${importId}/`)) await objects.remove(key);
    await newAttempt().run(() => process.steps.beginImport({ importId }));
    const { attempts, failure } = await untilOver(() => process.steps.importRows({ importId }));
    expect(attempts).toBe(8);
    const { reason, message } = (failure as ApplicationFailure).details?.[0] as Failure;
    expect([reason, message]).toEqual(['Internal', expect.stringMatching(/after line 0 of .* import it again/)]);
    await newAttempt().run(() => process.steps.failImport({ importId, state: 'failed', message }));
    expect(await process.imports.get(importId)).toMatchObject({ state: 'failed', message });
    expect(await peopleIn(await openProcess())).toEqual(before);
    // Nothing is held: the same rows come in by another import.
    const again = await run(await upload(lines(people(13, 20)), { announce }), process);
    expect(again).toMatchObject({ state: 'succeeded', counts: { created: 8 } });
  },
);

test('what an import gets over is not counted against it, nor what is only unavailable', async () => {
  const { process, upload } = await createWorld();
  const importId = await upload(lines(people(1, 30)));
  let calls = 0;
  const fail = (count: number): never => {
    if (count % 2 === 0) throw new TypeError('a bug');
    throw new SlipwayError('unavailable', 'the database does not answer');
  };
  const writes: Process['writes'] = {
    ...process.writes,
    // The last row of each block, and that ten times.
    async put(write, given) {
      if (write.id % 5n === 0n && (calls += 1) % 11 !== 0) fail(calls);
      return process.writes.put(write, given);
    },
  };
  const steps = createImportActivities({ ...process, writes, blockRows: 5 });
  await newAttempt().run(() => steps.beginImport({ importId }));
  const { attempts, failure } = await untilOver(() => steps.importRows({ importId }));
  expect(failure).toBeNull();
  expect(attempts).toBe(6 * 10 + 1);
  expect((await process.imports.get(importId)).counts).toMatchObject({ rows_read: 30, created: 30 });
});
