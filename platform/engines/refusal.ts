import { SlipwayError } from '../kinds/errors.js';
import { outsideFailed, transientFault } from '../kinds/outside-failure.js';
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

/** Reasons of steps in which the engine talks to a registry. */
const OF_A_REGISTRY: readonly Reason[] = ['PushFailed', 'ImagePullFailed'];

/** An engine that could not do what was asked: for now, where a registry cannot be used, else for good. */
export function engineFailed(doing: string, said: string, refusal: Refusal, cause?: unknown): SlipwayError {
  const message = `engine could not ${doing}: ${said}`;
  const { reason } = refusal;
  const fault = OF_A_REGISTRY.includes(reason) ? transientFault(said) : undefined;
  if (fault === undefined) return refused(message, refusal, cause);
  return outsideFailed({ party: 'the image registry', said: message, fault, reason }, cause);
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
