import { SlipwayError } from '../kinds/errors.js';

const MISSING = 'token_missing';
const INVALID = 'token_invalid';

/** A request without a bearer token. */
export const tokenMissing = (): SlipwayError =>
  unauthenticated(MISSING, 'no token: send the header "Authorization: Bearer <token>"');

/** A token that is refused. @param reason shown to the caller, who alone has the token */
export const tokenInvalid = (reason: string, cause?: unknown): SlipwayError => unauthenticated(INVALID, reason, cause);

// Clients compare the message as a whole, so the reason is an issue beside it.
const unauthenticated = (code: string, message: string, cause?: unknown): SlipwayError =>
  new SlipwayError('unauthenticated', 'Unauthorized', { issues: [{ path: '', pointer: '', code, message }], cause });

/** The value of `WWW-Authenticate` (RFC 6750, 3): a request without a token gets no error code. */
export function challengeOf({ issues }: SlipwayError): string {
  const refused = issues.find(({ code }) => code === INVALID);
  if (refused === undefined) return 'Bearer';
  return `Bearer error="invalid_token", error_description="${refused.message.replaceAll('"', "'")}"`;
}
