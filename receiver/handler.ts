import { parseVerifyingKey } from '../notifications/delivery/signing-keys.js';
import { type Verification, verifyWebhook } from '../notifications/delivery/verify.js';
import { ReceiverError } from './errors.js';
import { parseEvent, parseTombstone, type WebhookEvent } from './message.js';
import { failure, json, type Reply } from './reply.js';
import type { Notice, ReceiptStore } from './store.js';

export interface ReceiverOptions<Tx> {
  /** Where notices are posted, such as `/hooks/slipway`; receipts are asked for under `<path>/receipts`. */
  path: string;
  /** `whsec_` and `whpk_`; while keys change, the old and the new one. */
  secrets: readonly string[];
  store: ReceiptStore<Tx>;
  /**
   * Applies the event. It writes through `tx` where the store has transactions; when it throws, nothing is kept
   * and the sender tries again.
   */
  effect: (event: WebhookEvent, tx: Tx, notice: Notice) => Promise<void>;
  toleranceSeconds?: number;
  maxBytes?: number;
  /** In milliseconds. */
  now?: () => number;
  /** Hears of everything that ended as an answer 5xx. */
  onError?: (error: unknown) => void;
}

/** A request of any framework. */
export interface ReceiverRequest {
  method: string;
  path: string;
  headers: Verification['headers'];
  header(name: string): string | undefined;
  /** @throws ReceiverError */
  readBody(maxBytes: number): Promise<Uint8Array>;
}
/** @returns undefined when the path is not that of the receiver */
export type Handler = (request: ReceiverRequest) => Promise<Reply | undefined>;

const MEDIA_TYPES = ['application/cloudevents+json', 'application/json'];
const PROBE_TYPE = 'ops.probe';
const PURGE_MS = 3_600_000;
// eslint-disable-next-line no-console -- unless the caller says otherwise, as the frameworks do themselves
const logError = (error: unknown): void => console.error(error);

/**
 * One receiver for every framework: verifies, then lets the store decide what is new.
 * @throws ReceiverError options.invalid; WebhookKeyError for a secret that is none
 */
export function createHandler<Tx>(options: ReceiverOptions<Tx>): Handler {
  const { path, secrets, store, effect, toleranceSeconds = 300, maxBytes = 1_048_576 } = options;
  const { now = Date.now, onError = logError } = options;
  if (!/^\/.*[^/]$/.test(path)) throw new ReceiverError('options.invalid', 'path begins with a slash and ends without');
  if (secrets.length === 0) throw new ReceiverError('options.invalid', 'secrets are one or more');
  // JavaScript programs pass variables of the environment, which may be unset.
  if (secrets.some((secret: unknown) => typeof secret !== 'string')) {
    throw new ReceiverError('options.invalid', 'a secret is undefined: set the variable that it comes from');
  }
  const keys = secrets.map(parseVerifyingKey);
  const verify = (headers: Verification['headers'], body: Uint8Array) =>
    verifyWebhook({ headers, body, keys, toleranceSeconds, now });
  let purgedAt = now();

  async function take(request: ReceiverRequest): Promise<Reply> {
    const mediaType = request.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const isEncoded = !['', 'identity'].includes(request.header('content-encoding') ?? '');
    if (isEncoded || !MEDIA_TYPES.includes(mediaType)) {
      return failure(415, 'body.type', `notices are ${MEDIA_TYPES.join(' or ')}, not encoded`);
    }
    const body = await request.readBody(maxBytes);
    const result = verify(request.headers, body);
    if (!result.ok) return failure(401, result.code, result.message);
    const event = parseEvent(body);
    if (event === undefined) return failure(400, 'body.malformed', 'a notice is a JSON object with a type');
    const notice = { id: result.id, timestamp: result.timestamp, body };
    // A probe is stored like any notice, so that its answers are true, and is of no other use.
    const isProbe = event.type === PROBE_TYPE;
    const taken = await store.take(notice, (tx) => (isProbe ? Promise.resolve() : effect(event, tx, notice)));
    purgeNowAndThen();
    if (taken === 'busy') return busy();
    return json(taken === 'refused' ? 409 : 200, { receipt: taken }, { 'webhook-receipt': taken });
  }

  /** Signed as well: over an empty body, with the id that is asked for. */
  async function show(request: ReceiverRequest, id: string): Promise<Reply> {
    const result = verify(request.headers, new Uint8Array());
    if (!result.ok) return failure(401, result.code, result.message);
    if (result.id !== id) return otherId();
    const known = await store.find(id);
    return known === 'busy' ? busy() : json(known === 'received' ? 200 : 404, { state: known });
  }

  async function refuse(request: ReceiverRequest, id: string): Promise<Reply> {
    const body = await request.readBody(maxBytes);
    const result = verify(request.headers, body);
    if (!result.ok) return failure(401, result.code, result.message);
    if (result.id !== id) return otherId();
    const until = parseTombstone(body);
    if (until === undefined) return failure(400, 'body.malformed', 'refuse_until is a whole number of seconds');
    const state = await store.refuse(id, until);
    return state === 'busy' ? busy() : json(200, { state });
  }

  function purgeNowAndThen(): void {
    if (now() - purgedAt < PURGE_MS) return;
    purgedAt = now();
    store.purge().catch(onError);
  }

  const route = (request: ReceiverRequest): Promise<Reply> | Reply | undefined => {
    if (request.path === path) return request.method === 'POST' ? take(request) : wrongMethod('POST');
    const id = receiptId(request.path, `${path}/receipts/`);
    if (id === undefined) return undefined;
    if (request.method === 'GET') return show(request, id);
    return request.method === 'PUT' ? refuse(request, id) : wrongMethod('GET, PUT');
  };

  return async function handle(request) {
    try {
      return await route(request);
    } catch (err) {
      if (err instanceof ReceiverError && err.code === 'body.too_large') {
        // The rest of the body is not read, so the connection is of no further use.
        return failure(413, err.code, `a body has at most ${maxBytes} bytes`, { connection: 'close' });
      }
      if (err instanceof ReceiverError && err.code === 'body.aborted') return failure(400, err.code, err.message);
      onError(err);
      if (err instanceof ReceiverError) return failure(500, err.code, err.message);
      return failure(500, 'effect.failed', 'the notice had no effect; send it again');
    }
  };
}

const busy = (): Reply =>
  failure(503, 'receipt.busy', 'another process is at this notice; ask again', { 'retry-after': '5' });
const otherId = (): Reply => failure(401, 'id.mismatch', 'webhook-id is not the id of the path');
const wrongMethod = (allow: string): Reply =>
  failure(405, 'method.not_allowed', `this address takes ${allow}`, { allow });

function receiptId(path: string, prefix: string): string | undefined {
  const text = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  if (text === '' || text.includes('/')) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
