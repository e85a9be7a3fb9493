import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { compress, encodedTag, type Encoding, encodingOf, knownTag } from '../http/compression.js';
import type { RateLimit } from '../http/rate-limit.js';
import type { Identify } from './credentials.js';
import type { Client } from './state.js';

/** A request whose caller is known. */
export interface ShortCall {
  req: IncomingMessage;
  client: Client;
  requestId: string;
  /** Counts the request. @returns headers of the rate limit, names and values in turns; undefined above the limit */
  count: () => readonly string[] | undefined;
}

export interface ShortReply {
  status: number;
  /** Names and values in turns; `send` appends to them. */
  headers: string[];
  /** Absent for 304. In `latin1` each char is one byte of UTF-8. */
  body?: { text: string; encoding: 'utf8' | 'latin1' };
}

/**
 * A way past Koa for a request that comes thousands of times a second. It answers requests without options; every other
 * one, and each that ends in an error before its body is read, goes to the Koa application unchanged.
 */
export interface ShortCut<Asked> {
  /** Recognizes a request by its head. */
  match: (req: IncomingMessage) => Asked | undefined;
  /** @returns undefined, or throws, where the Koa application answers instead; rejects after the body is read */
  answer: (asked: Asked, call: ShortCall) => ShortReply | undefined | Promise<ShortReply | undefined>;
}

export interface ShortCutOptions {
  identify: Identify;
  limit: RateLimit;
  /** Answers every other request. */
  otherwise: RequestListener;
}

/** Puts a short cut before a listener, with the checks of the Koa steps: caller, rate limit and request id. */
export function withShortCut<Asked>(
  { match, answer }: ShortCut<Asked>,
  { identify, limit, otherwise }: ShortCutOptions,
): RequestListener {
  function run(asked: Asked, client: Client, req: IncomingMessage, res: ServerResponse): void {
    const requestId = randomUUID();
    const call: ShortCall = {
      req,
      client,
      requestId,
      // A method: tsx calls defineProperty for each function that is bound to a const, which is slow once per request.
      count() {
        const { exceeded, headers } = limit.count(client.actor);
        return exceeded ? undefined : headers;
      },
    };
    let reply: ReturnType<typeof answer>;
    try {
      reply = answer(asked, call);
    } catch {
      return otherwise(req, res); // it answers the error
    }
    if (!(reply instanceof Promise)) return finish(reply, call, res);
    reply.then((late) => finish(late, call, res)).catch(() => res.destroy());
  }

  function finish(reply: ShortReply | undefined, { req, requestId }: ShortCall, res: ServerResponse): void {
    if (reply === undefined) return otherwise(req, res);
    reply.headers.push('X-Request-Id', requestId);
    const encoding = reply.body && encodingOf(req.headers, reply.body.text.length);
    if (encoding === undefined) return send(req, res, reply);
    sendEncoded(res, reply, encoding).catch(() => res.destroy());
  }

  return (req, res) => {
    const asked = isShort(req) ? match(req) : undefined;
    if (asked === undefined) return otherwise(req, res);
    let client: Client | Promise<Client>;
    try {
      client = identify(req.headers);
    } catch {
      return otherwise(req, res); // it answers the error
    }
    // A credential that was checked before is known synchronously, so most reads wait for nothing.
    if (!(client instanceof Promise)) return run(asked, client, req, res);
    client.then(
      (known) => run(asked, known, req, res),
      () => otherwise(req, res),
    );
  };
}

/** Whether a request has no option that only the steps of the Koa application read. */
const isShort = ({ headers }: IncomingMessage): boolean =>
  headers['slipway-min-version'] === undefined && headers['x-request-id'] === undefined;

function send({ headers: asked }: IncomingMessage, res: ServerResponse, { status, headers, body }: ShortReply): void {
  if (body === undefined) {
    changeTag(headers, (etag) => knownTag(asked, etag));
    res.writeHead(status, headers).end();
    return;
  }
  const { text, encoding } = body;
  const length = encoding === 'latin1' ? text.length : Buffer.byteLength(text);
  headers.push('Content-Length', String(length));
  res.writeHead(status, headers).end(text, encoding);
}

async function sendEncoded(res: ServerResponse, { status, headers, body }: ShortReply, encoding: Encoding) {
  const bytes = await compress(Buffer.from(body?.text ?? '', body?.encoding), encoding);
  changeTag(headers, (etag) => encodedTag(etag, encoding));
  headers.push('Content-Encoding', encoding, 'Content-Length', String(bytes.length));
  res.writeHead(status, headers).end(bytes);
}

function changeTag(headers: string[], change: (etag: string) => string): void {
  const at = headers.indexOf('ETag') + 1;
  const etag = at > 0 ? headers[at] : undefined;
  if (etag !== undefined) headers[at] = change(etag);
}
