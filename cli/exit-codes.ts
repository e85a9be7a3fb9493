/** Exit codes for scripts; `slipway help exit-codes` and docs/reference/cli.md show this table. */
// prettier-ignore
export const EXIT_CODES = [
  { code: 0,   name: 'ok',              means: 'success; `diff`: no difference' },
  { code: 1,   name: 'failed',          means: 'the operation failed, such as a training; `diff`: differences found; `health`, `doctor`: a service is down or a check failed' },
  { code: 2,   name: 'usage',           means: 'invalid command line or manifest, or a request that the server refused' },
  { code: 3,   name: 'unauthenticated', means: 'not logged in, or not allowed' },
  { code: 4,   name: 'not-found',       means: 'the resource does not exist' },
  { code: 5,   name: 'conflict',        means: 'the resource exists, is in use, was changed meanwhile, or is in another state' },
  { code: 6,   name: 'unreachable',     means: 'the server or its issuer cannot be reached, or is not ready' },
  { code: 7,   name: 'timeout',         means: 'the wait ended; the run continues' },
  { code: 130, name: 'interrupted',     means: 'ended by Ctrl-C' },
] as const;
type ExitName = (typeof EXIT_CODES)[number]['name'];

const codeOf = (name: ExitName): number => EXIT_CODES.find((row) => row.name === name)?.code ?? 1;

// prettier-ignore
const BY_ERROR_CODE: Readonly<Record<string, ExitName>> = {
  validation_failed: 'usage', bad_json: 'usage', bad_query: 'usage', api_disabled: 'usage', too_large: 'usage',
  connection_vital:  'conflict', method_not_allowed: 'usage', idempotency_mismatch: 'conflict',
  unauthenticated:   'unauthenticated', forbidden: 'unauthenticated', login_failed: 'unauthenticated',
  not_found:         'not-found',
  already_exists:    'conflict', in_use: 'conflict', deleting: 'conflict', not_started: 'conflict', not_finished: 'conflict',
  already_finished:  'conflict', not_waiting: 'conflict', conflict: 'conflict', revision_mismatch: 'conflict', quota_exceeded: 'conflict', stale_generation: 'conflict',
  unreachable:       'unreachable', not_slipway: 'unreachable', unavailable: 'unreachable', bad_gateway: 'unreachable',
  gateway_timeout:   'unreachable', no_replica: 'unreachable', too_many_requests: 'unreachable',
  timeout:           'timeout',
  interrupted:       'interrupted',
};

/** For the codes of `/v2`, such as `subscription.not_found`, which have no row of their own. */
// prettier-ignore
const BY_STATUS: Readonly<Record<number, ExitName>> = {
  400: 'usage', 401: 'unauthenticated', 403: 'unauthenticated', 404: 'not-found', 409: 'conflict', 412: 'conflict',
  413: 'usage', 422: 'usage', 429: 'unreachable', 503: 'unreachable',
};

/** The exit code of an error's code, or else of its HTTP status. */
export const exitCodeOf = (errorCode: string, status = 0): number =>
  codeOf(BY_ERROR_CODE[errorCode] ?? BY_STATUS[status] ?? 'failed');

export const EXIT = {
  ok: 0,
  failed: codeOf('failed'),
  usage: codeOf('usage'),
  interrupted: codeOf('interrupted'),
} as const;
