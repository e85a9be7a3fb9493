import { SlipwayError } from '../kinds/errors.js';
import { outsideFailed, transientFault } from '../kinds/outside-failure.js';
import { type Reason, runFailed } from '../kinds/reasons.js';

/** The request that failed. */
export interface Attempted {
  registry: string;
  /** Completes "registry x could not ...". */
  doing: string;
  /** The reason of a run that gives up. */
  reason: Reason;
}

const PARTY = 'the image registry';

const NO_ANSWER = 'it does not answer in time';

/** Codes of node and undici for connections that fail; a repeat may succeed. Any other code, such as of TLS, is final. */
// prettier-ignore
const FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND:               'its name cannot be resolved',
  EAI_AGAIN:               'its name cannot be resolved',
  ECONNREFUSED:            'it cannot be reached',
  EHOSTUNREACH:            'it cannot be reached',
  ENETUNREACH:             'it cannot be reached',
  ETIMEDOUT:               NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  UND_ERR_HEADERS_TIMEOUT: NO_ANSWER,
  UND_ERR_BODY_TIMEOUT:    NO_ANSWER,
  ECONNRESET:              'the connection broke off',
  EPIPE:                   'the connection broke off',
  UND_ERR_SOCKET:          'the connection broke off',
};

/** A request without an answer. */
export function connectionFailed({ registry, doing, reason }: Attempted, cause: unknown): SlipwayError {
  const said = `registry ${registry} could not ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`;
  if (cause instanceof SlipwayError && cause.code === 'url.not_allowed') {
    const message = `the registry may not be used: ${cause.message}; SLIPWAY_OUTBOUND_NETWORKS opens networks`;
    return runFailed({ reason, message }, cause);
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const fault = FAULTS[code];
  if (fault === undefined) return runFailed({ reason, message: said }, cause);
  return outsideFailed({ party: PARTY, said, fault, reason }, cause);
}

/** An answer that is no success: for now when time may heal it, else for good. @param text the body of the answer */
export function refusedBy({ registry, doing, reason }: Attempted, status: number, text = ''): SlipwayError {
  const remedy = status === 401 || status === 403 ? '; check the credentials of its connection' : '';
  const said = `registry ${registry} could not ${doing}: it answers ${status}${quoted(text)}${remedy}`;
  const fault = transientFault(`status: ${status}`);
  if (fault === undefined) return runFailed({ reason, message: said });
  return outsideFailed({ party: PARTY, said, fault, reason });
}

/** Whether a repeat of the same request may succeed. */
export const isTransient = (err: unknown): boolean => err instanceof SlipwayError && err.code === 'unavailable';

/** Whether a request got no answer in time. */
export const isLate = (err: unknown): boolean =>
  err instanceof SlipwayError && err.cause instanceof Error && 'code' in err.cause && LATE.has(String(err.cause.code));

const LATE = new Set(Object.keys(FAULTS).filter((code) => FAULTS[code] === NO_ANSWER));

const MOST_TEXT = 300;

/** The registry's own words: the messages of an error document, else the begin of the text. */
function quoted(text: string): string {
  const words = messagesOf(text) ?? text;
  const line = words.replace(/\s+/g, ' ').trim().slice(0, MOST_TEXT);
  return line === '' ? '' : `, "${line}"`;
}

function messagesOf(text: string): string | undefined {
  try {
    const { errors } = JSON.parse(text) as { errors?: { code?: string; message?: string }[] };
    return errors?.map(({ code = '', message = '' }) => `${code} ${message}`.trim()).join('; ');
  } catch {
    return undefined; // a proxy before the registry answers with a page
  }
}
