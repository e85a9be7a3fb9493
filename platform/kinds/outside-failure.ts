import { SlipwayError } from './errors.js';
import type { Reason } from './reasons.js';

/**
 * Texts of git, curl, ssh, the container engine and registries when the other side or the way to it fails for now; the
 * first match counts. They have no codes for it. Any other text is final: the request itself is at fault.
 */
// prettier-ignore
const TRANSIENT: readonly (readonly [RegExp, string])[] = [
  [/could not resolve (host|proxy)|name resolution|no such host|name or service not known|server misbehaving/i, 'its name cannot be resolved'],
  [/connection refused|couldn't connect|failed to connect|no route to host|network is unreachable/i,              'it cannot be reached'],
  [/timed? ?out|timeout exceeded|operation too slow/i,                                                            'it does not answer in time'],
  [/(error|status|statuscode|status code):? 429|too ?many ?requests/i,                                            'it asks for fewer requests'],
  [/(error|status|statuscode|status code):? 5\d\d/i,                                                              'it reports a failure of its own'],
  [/connection (was )?(reset|closed)|broken pipe|empty reply|hung up unexpectedly|transfer closed|recv failure|ssl_error_syscall|\beof\b/i, 'the connection broke off'],
];

/** Why a repeat may succeed; completes "the git server cannot be used for now: ...". `undefined` when it cannot. */
export const transientFault = (text: string): string | undefined =>
  TRANSIENT.find(([pattern]) => pattern.test(text))?.[1];

interface OutsideFailure {
  /** Such as "the git server". */
  party: string;
  /** The party's own words; for the log, as they may hold addresses. */
  said: string;
  fault: string;
  /** The reason of the run once it waits no longer. */
  reason: Reason;
}

/** A failure of another party that a repeat may heal. */
export function outsideFailed({ party, said, fault, reason }: OutsideFailure, cause?: unknown): SlipwayError {
  const publicMessage = `${party} cannot be used for now: ${fault}`;
  return new SlipwayError('unavailable', said, { publicMessage, detail: { reason }, cause });
}

/** The reason of a run that waits for another party no longer; `undefined` for every other error. */
export function outsideReason(err: unknown): Reason | undefined {
  const isOutside = err instanceof SlipwayError && err.code === 'unavailable';
  return isOutside ? (err.detail as { reason?: Reason } | undefined)?.reason : undefined;
}
