import { afterEach, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { createImportActivities } from '../../../activities/imports/import.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Failure } from '../../../platform/kinds/reasons.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { newAttempt } from '../shared/environment.js';
import { createWorld, lines, people, peopleIn, type Process, run, stopProcesses } from './import-scene.js';

afterEach(stopProcesses);

const MIXED = lines([...people(1, 4), ...people(5, 9, 'changed'), ...people(30, 41), { id: '50' }]);

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
