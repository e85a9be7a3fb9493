import { expect, test } from 'vitest';
import { engineFailed, reasonOf, refusalOf, refused } from '../../../platform/engines/refusal.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';

test('a refusal tells its reason and the last words', () => {
  const err = refused('engine could not build', { reason: 'PackagerFailed', logTail: 'exit 9' });
  expect(err).toMatchObject({ code: 'run_failed', retryable: false, message: 'engine could not build' });
  expect(refusalOf(err)).toEqual({ reason: 'PackagerFailed', logTail: 'exit 9' });
});

const UNREACHABLE = 'dial tcp 127.0.0.1:1: connect: connection refused';

test.each(['PushFailed', 'ImagePullFailed'] as const)('%s: a registry that is away may be asked again', (reason) => {
  const err = engineFailed('push image "iris"', UNREACHABLE, { reason });
  expect(err).toMatchObject({ code: 'unavailable', retryable: true, detail: { reason } });
  expect(err.message).toBe(`engine could not push image "iris": ${UNREACHABLE}`);
  expect(refusalOf(engineFailed('push', 'denied', { reason, logTail: 'denied' }))).toEqual({
    reason,
    logTail: 'denied',
  });
});

test('a program in a build that cannot reach something is the fault of the build', () => {
  expect(reasonOf(engineFailed('build', UNREACHABLE, { reason: 'PackagerFailed' }))).toBe('PackagerFailed');
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
