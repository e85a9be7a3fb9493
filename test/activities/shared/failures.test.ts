import { expect, test } from 'vitest';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { toFailure } from '../../../activities/shared/failures.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { runFailed } from '../../../platform/kinds/reasons.js';
import { newAttempt } from './environment.js';

const open = new AbortController().signal;
/** The part of an error that reaches the history. */
const failureOf = (err: unknown, signal = open) => newAttempt().run(async () => toFailure(err, signal));

test('a public message reaches the history, with its reason', async () => {
  const failure = { reason: 'ToolchainFailed' as const, message: 'exit code 3', exitCode: 3 };
  expect(await failureOf(runFailed(failure))).toMatchObject({
    message: 'exit code 3',
    type: 'run_failed',
    nonRetryable: true,
    details: [failure],
  });
});

test('a reason that time heals is tried again', async () => {
  expect(await failureOf(runFailed({ reason: 'NoCapacity', message: 'full' }))).toMatchObject({ nonRetryable: false });
  expect(await failureOf(new SlipwayError('unavailable', 'x'))).toMatchObject({ nonRetryable: false });
  expect(await failureOf(new SlipwayError('not_found', 'x'))).toMatchObject({ nonRetryable: true });
});

test.each([
  new SlipwayError('unavailable', 'mongodb://user:secret@db does not answer', { cause: new Error('secret') }),
  new Error('ENOENT: /home/ada/secret'),
  new TypeError('fetch failed', { cause: new Error('secret.internal:443') }),
  'secret',
])('a private message stays in the log: %#', async (err) => {
  const failure = await failureOf(err);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ nonRetryable: false });
  const { message, cause, details } = failure as ApplicationFailure;
  expect(JSON.stringify({ message, cause, details })).not.toMatch(/secret|ada|fetch/);
  expect((failure as ApplicationFailure).stack).toBe('');
});

test('the history names the service that does not answer, without the address that the log has', async () => {
  const away = new SlipwayError('unavailable', 'mongodb://db does not answer', {
    publicMessage: 'the database does not answer',
  });
  expect(await failureOf(away)).toMatchObject({ message: 'the database does not answer', nonRetryable: false });
});

test('an older generation that gives way alerts no operator', async () => {
  expect(await failureOf(new SlipwayError('stale_generation', 'x'))).toMatchObject({
    category: 'BENIGN',
    nonRetryable: true,
  });
});

test('what ended the attempt wins over what a library made of it', async () => {
  const reason = new CancelledFailure('CANCELLED');
  expect(await failureOf(new Error('request aborted'), AbortSignal.abort(reason))).toBe(reason);
});

test('a failure that is one already stays as it is', async () => {
  const failure = ApplicationFailure.nonRetryable('x', 'y');
  expect(await failureOf(failure)).toBe(failure);
  expect(failure.stack).toBe('');
});
