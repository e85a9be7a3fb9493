/** A finding of the server about one field. */
export interface Issue {
  path: string;
  code: string;
  message: string;
}

interface Details {
  /** HTTP status; 0 when there was no reply at all. */
  status?: number;
  requestId?: string | undefined;
  issues?: readonly Issue[];
  cause?: unknown;
}

/**
 * Everything that can go wrong with a call. `code` is the server's machine word (`not_found`, `already_exists`,
 * `validation_failed`, ...), or one of the client's own: `unreachable` (no reply), `login_failed` (the issuer gives no
 * token), `not_slipway` (something else answers at that address), `timeout` (a wait took too long).
 */
export class SlipwayApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly issues: readonly Issue[];
  constructor(code: string, message: string, { status = 0, requestId, issues = [], cause }: Details = {}) {
    super(message, { cause });
    this.name = 'SlipwayApiError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.issues = issues;
  }
}

/** The body of an error: of the management API with `message`, of `/v2` a problem document with `detail` or `title`. */
interface ErrorBody {
  message?: string;
  detail?: string;
  title?: string;
  code?: string;
  requestId?: string;
  errors?: { path?: string; pointer?: string; parameter?: string; code: string; message: string }[];
}

/** Converts a response to an error. The gateway gives the reason for a denied model in a header, with an empty body. */
export async function toApiError(response: Response): Promise<SlipwayApiError> {
  const text = await response.text().catch(() => '');
  const body = readBody(text);
  const { status, headers } = response;
  const { message: given = body.detail ?? body.title ?? headers.get('x-slipway-error') } = body;
  const message = given ?? `the server answered ${status} ${response.statusText}`;
  const requestId = body.requestId ?? headers.get('x-request-id') ?? headers.get('request-id') ?? undefined;
  return new SlipwayApiError(body.code ?? CODES[status] ?? 'failed', message, {
    status,
    requestId,
    issues: (body.errors ?? []).map(({ path, pointer, parameter, code, message }) => ({
      ...{ path: path ?? pointer ?? parameter ?? '', code, message },
    })),
  });
}

/** For replies of the gateway, and of proxies on the way, which have no code. */
// prettier-ignore
const CODES: Readonly<Record<number, string>> = {
  400: 'validation_failed', 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found', 405: 'method_not_allowed',
  409: 'conflict', 413: 'too_large', 429: 'too_many_requests', 500: 'internal', 502: 'bad_gateway', 503: 'unavailable', 504: 'gateway_timeout',
};

function readBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** Converts a failed `fetch` to an error. */
export function toUnreachable(url: string, cause: unknown): SlipwayApiError {
  const reason = reasonOf(cause);
  return new SlipwayApiError('unreachable', `${new URL(url).origin} cannot be reached${reason && `: ${reason}`}`, {
    cause,
  });
}

// prettier-ignore
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET:   'the connection was closed',
  ENOTFOUND:    'there is no host of that name',
  EAI_AGAIN:    'the name of the host cannot be looked up',
  ETIMEDOUT:    'no answer in time',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH:  'there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_SOCKET:          'the connection was closed',
};

function reasonOf(error: unknown): string {
  const { name, message } = toPlain(error);
  if (name === 'TimeoutError') return 'no answer in time';
  const { code, message: inner } = toPlain(innerCause(error));
  return REASONS[code ?? ''] ?? inner ?? message ?? '';
}

/** The word of the operating system, or of the HTTP library, for what happened to a connection. */
export const causeCode = (error: unknown): string | undefined => toPlain(innerCause(error)).code;

/** `fetch` hides what happened in the cause of its error; a host of several addresses has one cause for each. */
function innerCause(error: unknown): unknown {
  const { cause } = toPlain(error);
  return toPlain(cause).errors?.[0] ?? cause;
}

interface PlainError {
  name?: string;
  message?: string;
  code?: string;
  cause?: unknown;
  errors?: unknown[];
}

/** Read by its shape: errors of `fetch` may come from another realm, where `instanceof` is of no use. */
const toPlain = (error: unknown): PlainError => (typeof error === 'object' && error !== null ? error : {});

/** Whether what was named does not exist; `/v2` says of which kind, such as `dataset.not_found`. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof SlipwayApiError && /^(\w+\.)?not_found$/.test(error.code);

/** Returns whether a retry may succeed: there was no answer, or the server said so. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof SlipwayApiError && (error.code === 'unreachable' || [429, 502, 503, 504].includes(error.status));
