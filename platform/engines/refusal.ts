import { SlipwayError } from '../kinds/errors.js';
import { REASONS, type Reason } from '../kinds/reasons.js';

/** The `detail` of every `run_failed` of an engine. */
export interface Refusal {
  reason: Reason;
  /** The last output of the engine; at most 50 lines. */
  logTail?: string;
}

export function refused(message: string, refusal: Refusal, cause?: unknown): SlipwayError {
  return new SlipwayError('run_failed', message, { detail: refusal, cause });
}

/** Why an engine refused; `undefined` for every other error. */
export function refusalOf(err: unknown): Refusal | undefined {
  const detail = err instanceof SlipwayError && err.code === 'run_failed' ? err.detail : undefined;
  return isRefusal(detail) ? detail : undefined;
}

export function reasonOf(err: unknown): Reason | undefined {
  return refusalOf(err)?.reason;
}

function isRefusal(detail: unknown): detail is Refusal {
  return (
    typeof detail === 'object' &&
    detail !== null &&
    'reason' in detail &&
    typeof detail.reason === 'string' &&
    detail.reason in REASONS
  );
}
