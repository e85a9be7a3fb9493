import type { Outcome } from '../kinds/attempt.js';

export interface Evidence {
  /** Whether a byte of the request may have reached the socket. */
  bytesLeft: boolean;
  /** Status of the final response, 200 to 599; 1xx responses are not final. */
  status?: number;
}

/**
 * The error code of a failed attempt decides nothing: a reset is `not_sent` while connecting and `ambiguous` after the
 * first byte. What is not proved to be something better is ambiguous.
 */
export function outcomeOf({ bytesLeft, status }: Evidence): Outcome {
  if (status !== undefined) return status >= 200 && status < 300 ? 'confirmed' : 'refused';
  return bytesLeft ? 'ambiguous' : 'not_sent';
}
