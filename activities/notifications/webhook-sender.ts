import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { type Dispatcher, request } from 'undici';
import { withOwnSignal } from '../../platform/kinds/own-signal.js';
import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import type { Handshake } from '../../notifications/delivery/handshake.js';
import { outcomeOf } from '../../notifications/delivery/outcome.js';
import { parseRetryAfter } from '../../notifications/delivery/retry-after.js';

export interface WebhookRequest {
  method: 'POST' | 'PUT' | 'GET' | 'OPTIONS';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Uses a new connection: the receiver may have closed one that was kept alive. */
  fresh: boolean;
  deadline: Date;
  signal?: AbortSignal;
}

export interface WebhookSender {
  /** Sends one request and returns how it ended, as far as is known; never throws. */
  send(request: WebhookRequest): Promise<AttemptEnd & { handshake?: Handshake }>;
}

export interface WebhookSenderOptions {
  /** Connects to allowed addresses only, and follows no redirects. */
  dispatcher: Dispatcher;
  /** Limit for the first byte of the answer. */
  answerMs?: number;
  now?: () => Date;
}

const MOST_READ_BYTES = 64 * 1024;
const MOST_KEPT_CHARACTERS = 16 * 1024;
const SLOW_DOWN = [429, 502, 503, 504];

/** The state of a request that undici reports while it runs. */
interface RequestTrace {
  /** The request is valid, so that its end says something about the receiver. */
  isMade: boolean;
  bytesLeft: boolean;
}
const current = new AsyncLocalStorage<RequestTrace>();
const traces = new WeakMap<object, RequestTrace>();

// A request is made synchronously in the context of its caller, but written in that of its connection.
subscribe('undici:request:create', (message) => {
  const trace = current.getStore();
  if (trace === undefined) return;
  trace.isMade = true;
  traces.set((message as { request: object }).request, trace);
});
// Published just before the first byte is written.
subscribe('undici:client:sendHeaders', (message) => {
  const trace = traces.get((message as { request: object }).request);
  if (trace !== undefined) trace.bytesLeft = true;
});

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { dispatcher, answerMs = 15_000, now = () => new Date() } = options;

  async function exchange({ method, url, headers, body, fresh }: WebhookRequest, signal: AbortSignal) {
    const answer = await request(url, {
      method,
      headers,
      body: body === '' ? null : body,
      reset: fresh,
      dispatcher,
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
      signal,
    });
    return { ...answer, text: await readSome(answer.body) };
  }

  return {
    async send(given) {
      const trace: RequestTrace = { isMade: false, bytesLeft: false };
      const began = performance.now();
      const ended = () => ({
        at: now().toISOString(),
        latencyMs: Math.round(performance.now() - began),
        bytesLeft: trace.bytesLeft,
      });
      // A process that was suspended must not send an attempt that another worker has abandoned.
      if (now() >= given.deadline) {
        return { outcome: 'not_sent', ...ended(), error: 'the deadline passed before the request was sent' };
      }
      try {
        const limitMs = Math.max(0, given.deadline.getTime() - now().getTime());
        const asked = () => withOwnSignal({ parent: given.signal, limitMs }, (signal) => exchange(given, signal));
        const { statusCode: status, headers, text: answer } = await current.run(trace, asked);
        const retryAt = SLOW_DOWN.includes(status) ? retryAfter(headers, now()) : undefined;
        const command = commandOf(status, headers);
        const receipt = receiptOf(headers);
        return {
          outcome: outcomeOf({ bytesLeft: true, status }),
          ...ended(),
          status,
          ...(answer !== '' && { answer }),
          ...(retryAt !== undefined && { retryAt }),
          ...(receipt !== undefined && { receipt }),
          ...(command !== undefined && { command }),
          ...(given.method === 'OPTIONS' && { handshake: handshakeOf(headers) }),
        };
      } catch (err) {
        const isUnreachable = trace.isMade && !trace.bytesLeft && given.signal?.aborted !== true;
        const found = { ...(isUnreachable && { unreachable: true as const }), error: describe(err) };
        return { outcome: outcomeOf(trace), ...ended(), ...found };
      }
    },
  };
}

/** Reads the beginning of an answer. It may break off or never end: the status counts alone. */
async function readSome(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_READ_BYTES) break;
    }
  } catch {
    // The part that arrived is kept.
  }
  body.destroy();
  return Buffer.concat(chunks).toString('utf8').slice(0, MOST_KEPT_CHARACTERS);
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const first = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

function retryAfter(headers: Headers, now: Date): string | undefined {
  const value = first(headers['retry-after']);
  return value === undefined ? undefined : parseRetryAfter(value, now)?.toISOString();
}

function commandOf(status: number, headers: Headers): AttemptEnd['command'] {
  const command = first(headers['webhook-delivery']);
  if (status === 410 || command === 'disable') return 'disable';
  return command === 'abort-message' ? 'abort' : undefined;
}

function handshakeOf(headers: Headers): Handshake {
  const [origin, rate] = [first(headers['webhook-allowed-origin']), first(headers['webhook-allowed-rate'])];
  return { ...(origin !== undefined && { origin }), ...(rate !== undefined && { rate }) };
}

function receiptOf(headers: Headers): AttemptEnd['receipt'] {
  const receipt = first(headers['webhook-receipt']);
  return receipt === 'new' || receipt === 'duplicate' || receipt === 'refused' ? receipt : undefined;
}

function describe(err: unknown): string {
  if (!(err instanceof Error)) return String(err);
  const { code } = err as { code?: string };
  const message = err.message === '' ? err.name : err.message;
  return (code === undefined || message.includes(code) ? message : `${code}: ${message}`).slice(0, 500);
}
