import { expect, test } from 'vitest';
import { reasonOf, refusalOf, refused } from '../../../platform/engines/refusal.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';

test('a refusal tells its reason and the last words', () => {
  const err = refused('engine could not build', { reason: 'PackagerFailed', logTail: 'exit 9' });
  expect(err).toMatchObject({ code: 'run_failed', retryable: false, message: 'engine could not build' });
  expect(refusalOf(err)).toEqual({ reason: 'PackagerFailed', logTail: 'exit 9' });
});

test.each([
  ['an error of another kind', new Error('x')],
  ['an error that is no refusal', new SlipwayError('unavailable', 'x', { detail: { reason: 'PushFailed' } })],
  ['a reason that does not exist', new SlipwayError('run_failed', 'x', { detail: { reason: 'Sunspots' } })],
  ['no detail', new SlipwayError('run_failed', 'x')],
  ['no error', null],
])('%s has no reason', (_, err) => {
  expect(reasonOf(err)).toBeUndefined();
});
