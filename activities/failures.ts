import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { SlipwayError } from '../resources/errors.js';
import { failureIn, REASONS } from '../resources/reasons.js';

/**
 * The only place where an error becomes a Temporal failure. Messages of errors that no client may read stay in the log:
 * a history is kept for long and read by many.
 */
export function toFailure(err: unknown, signal: AbortSignal): unknown {
  // Clients wrap an abort in errors of their own; those would count as failures and be retried.
  if (signal.aborted) return signal.reason;
  if (!(err instanceof SlipwayError)) return err;
  log.warn(err.message, { code: err.code, detail: err.detail, cause: describe(err.cause) });
  const failure = failureIn(err);
  return ApplicationFailure.create({
    message: err.expose ? err.message : err.code,
    type: err.code,
    nonRetryable: failure ? !REASONS[failure.reason].retryable : !err.retryable,
    details: failure ? [failure] : [],
  });
}

/** An error has no enumerable properties: a log would show `{}`. */
function describe(cause: unknown): unknown {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : cause;
}
