import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { createFaultLimit } from '../../../activities/imports/import-faults.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { type DatasetImport, NO_COUNTS } from '../../../reference/dataset/import.js';
import type { Imports } from '../../../reference/stores/imports.js';
import { newAttempt } from '../shared/environment.js';

/** A stored import, and a step of it that ends with an error after it moved. */
function open({ fails = false } = {}) {
  let given = { id: 'imp_1', counts: NO_COUNTS, cursor: { offset: 0, line: 0 } } as unknown as DatasetImport;
  const imports = {
    get: async () => given,
    put: async (next: DatasetImport) => {
      if (fails) throw new SlipwayError('unavailable', 'the store is away');
      given = next;
    },
  } as unknown as Imports;
  const run = (err: unknown, { offset = 0, canceled = false } = {}) => {
    given = { ...given, cursor: { offset, line: offset } };
    const attempt = newAttempt();
    const step = createFaultLimit({ imports })(async () => {
      if (canceled) attempt.cancel();
      throw err;
    });
    return attempt.run(() => step({ importId: 'imp_1' })).catch((failure: unknown) => failure);
  };
  return { run, times: () => given.faults?.times };
}
const BUG = new TypeError('x is undefined');

test('the eighth fault at one position ends the import for good', async () => {
  const { run, times } = open();
  for (let count = 1; count < 8; count += 1) {
    expect(await run(BUG)).toBe(BUG);
    expect(times()).toBe(count);
  }
  const failure = await run(BUG);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'run_failed', nonRetryable: true, details: [{ reason: 'Internal' }] });
});

test('an import that moves on between two faults begins to count again', async () => {
  const { run, times } = open();
  for (const offset of [0, 0, 0, 100]) expect(await run(BUG, { offset })).toBe(BUG);
  expect(times()).toBe(1);
});

test.each([
  ['a store that is away', new SlipwayError('unavailable', 'x')],
  ['rows that cannot be imported', new SlipwayError('import.rows', 'x')],
  ['a failure of a step', ApplicationFailure.create({ message: 'x' })],
  ['a cancellation', new CancelledFailure('x')],
])('%s is no fault', async (_, err) => {
  const { run, times } = open();
  for (let count = 0; count < 9; count += 1) expect(await run(err)).toBe(err);
  expect(times()).toBeUndefined();
});

test('a bug of the platform is a fault, whatever class it is of', async () => {
  const { run, times } = open();
  await run(new SlipwayError('internal', 'x'));
  await run('a text');
  expect(times()).toBe(2);
});

test('an attempt that was canceled counts nothing: the next one may be at work', async () => {
  const { run, times } = open();
  expect(await run(BUG, { canceled: true })).toBe(BUG);
  expect(times()).toBeUndefined();
});

test('a fault that cannot be counted is the error of the attempt', async () => {
  const { run, times } = open({ fails: true });
  for (let count = 0; count < 9; count += 1) expect(await run(BUG)).toBe(BUG);
  expect(times()).toBeUndefined();
});

test('a step without an error returns its result', async () => {
  const { imports } = { imports: {} as Imports };
  const step = createFaultLimit({ imports })(async ({ importId }) => `${importId} done`);
  expect(await newAttempt().run(() => step({ importId: 'imp_1' }))).toBe('imp_1 done');
});
