import { ApplicationFailure } from '@temporalio/common';
import { afterEach, expect, test } from 'vitest';
import { type ImportContext, openDatasets, toRunFailure } from '../../../activities/imports/import-context.js';
import { type ErrorCode, SlipwayError } from '../../../platform/kinds/errors.js';
import type { DatasetImport } from '../../../reference/dataset/import.js';
import type { Datasets, ReadyDataset } from '../../../reference/stores/datasets.js';
import { newAttempt } from '../shared/environment.js';
import { createWorld, stopProcesses } from './import-scene.js';

afterEach(stopProcesses);

/** Opens the datasets of an import, and notes which are needed. */
async function open(dataset: string, refuse: (name: string) => void = () => undefined) {
  const { openProcess } = await createWorld();
  const { datasets: real, ...process } = await openProcess();
  const needed: string[] = [];
  const datasets: Datasets = {
    ...real,
    need: async (name) => {
      refuse(name);
      needed.push(name);
      return real.need(name);
    },
  };
  const context: ImportContext = { ...process, datasets, now: () => new Date(), blockRows: 5, blockBytes: 1_000 };
  const given = { dataset } as DatasetImport;
  const opening: Promise<ReadyDataset> = newAttempt().run(() => openDatasets(context, given));
  return { opening, needed, real };
}

test('every dataset that rows may refer to is loaded, its own only once', async () => {
  const { opening, needed, real } = await open('people');
  const { dataset, declaration } = await opening;
  expect([dataset.name, Object.keys(declaration.spec.fields)]).toEqual(['people', ['name', 'boss', 'skills']]);
  expect(needed).toEqual(['people', 'skills']);
  expect(real.find('skills')).toBeDefined();
});

test('a dataset without references needs no other one', async () => {
  const { opening, needed } = await open('skills');
  await opening;
  expect(needed).toEqual(['skills']);
});

test('a dataset that is gone fails with its name; one that cannot be loaded now is tried again', async () => {
  const missing = await open('nothing');
  await expect(missing.opening).rejects.toMatchObject({ code: 'dataset.not_found' });
  const away = await open('people', (name) => {
    if (name === 'skills') throw new SlipwayError('unavailable', 'the database does not answer');
  });
  await expect(away.opening).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test.each<[ErrorCode, boolean]>([
  ['import.rows', true],
  ['dataset.not_found', true],
  ['entity.invalid', true],
  ['conflict', false],
  ['unavailable', false],
  ['replica.loading', false],
  ['internal', false],
  ['storage_refused', false],
])('%s ends the run: %s', (code, ends) => {
  const err = new SlipwayError(code, 'a message');
  const failure = toRunFailure(err);
  expect(failure !== err).toBe(ends);
  if (!ends) return;
  expect(failure).toMatchObject({ code: 'run_failed', detail: { reason: 'DataCopyFailed' }, message: 'a message' });
  expect((failure as Error).cause).toBe(err);
});

test.each([[new TypeError('a bug')], [ApplicationFailure.nonRetryable('ended')], [undefined], ['text']])(
  'what is no error of the platform stays what it is: %s',
  (err) => expect(toRunFailure(err)).toBe(err),
);
