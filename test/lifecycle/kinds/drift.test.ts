import { expect, test } from 'vitest';
import { DRIFT_MEASURES, errorsOf } from '../../../lifecycle/kinds/drift.js';

test.each([
  ['classification-error', 'cat', 'cat', [0]],
  ['classification-error', 'cat', 'dog', [1]],
  ['classification-error', 1, '1', [0]],
  ['classification-error', true, 'true', [0]],
  ['classification-error', 1, 1.5, [1]],
  ['classification-error', 'größe', 'Größe', [1]],
  ['classification-error', ['a', 'b', 'c'], ['a', 'x', 'c'], [0, 1, 0]],
  ['classification-error', ['a'], 'a', [0]],
  ['classification-error', null, 'a', undefined],
  ['classification-error', { label: 'a' }, 'a', undefined],
  ['classification-error', ['a', null], ['a', 'b'], undefined],
  ['mean-absolute-error', 1, 3, [2]],
  ['mean-absolute-error', 3, 1, [2]],
  ['mean-absolute-error', -0.5, 0.5, [1]],
  ['mean-absolute-error', [1, 2], [1, 4], [0, 2]],
  ['mean-absolute-error', '1', 1, undefined],
  ['mean-absolute-error', [1, 'x'], [1, 2], undefined],
] as const)('%s of %j against %j: %j', (measure, prediction, truth, expected) => {
  expect(errorsOf(measure, prediction, truth)).toEqual(expected);
});

test.each(DRIFT_MEASURES)('%s: lists of other lengths, empty ones and absent values cannot be compared', (measure) => {
  expect(errorsOf(measure, [1, 2], [1])).toBeUndefined();
  expect(errorsOf(measure, [], [])).toBeUndefined();
  expect(errorsOf(measure, undefined, 1)).toBeUndefined();
  expect(errorsOf(measure, 1, undefined)).toBeUndefined();
  expect(errorsOf(measure, [[1]], [[1]])).toBeUndefined();
});
