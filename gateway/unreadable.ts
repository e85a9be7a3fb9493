import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LONGEST_HEAD } from '../platform/kinds/request-head.js';
import { errorCode } from './error-code.js';

/** Reasons of the parser to reject a request; anything else is not HTTP. */
const SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `the address and the headers of the request are larger than ${LONGEST_HEAD / 1_024} KiB`,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunk extensions of the request are larger than 16 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive in time',
};

/**
 * Answers what is no proper request. Node's own answer has no sentence and a status (408, 417, 431) that clients of
 * the management API do not know.
 */
export function answerUnreadable(server: Server, handle: RequestListener): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (req, res) => void answering.set(req.socket, res));
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', handle);
  server.on('clientError', (err: Error, socket: Duplex) => {
    const reply = answering.get(socket);
    const isUnderWay = reply !== undefined && reply.headersSent && !reply.writableFinished;
    // A text written into a reply under way would be read as a part of it.
    if (!socket.writable || isUnderWay || errorCode(err) === 'ECONNRESET') return void socket.destroy(err);
    const body = refusal(SENTENCES[String(errorCode(err))] ?? 'the request is not valid HTTP');
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
}

/** The fault of a request that the parser accepted. */
export function flaw({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return 'the header Host is missing';
  // RFC 9112, section 3.2: of two hosts, a server behind this one might read the other.
  if (countHosts(rawHeaders) > 1) return 'the header Host is there more than once: send it once';
  // Absolute addresses and `*` are for proxies: we are none.
  if (!url.startsWith('/')) return 'the address of a request must begin with a slash';
  // Filters of reference data are long; the servers of models, and whatever is in front of them, take less.
  if (url.startsWith('/v2/') || rawHeaders.reduce((sum, text) => sum + text.length, url.length) <= USUAL_HEAD) return;
  return 'the address and the headers of the request are larger than 16 KiB';
}
/** @param rawHeaders names and values in turn */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  return count;
}

const USUAL_HEAD = 16 * 1_024;

export const FOREIGN_HOST =
  'the header Host names another server: use the host of SLIPWAY_BASE_URL, or add the name to SLIPWAY_ALLOWED_HOSTS';

export function refuseFlawed(res: ServerResponse, message: string): void {
  res.writeHead(400, { 'content-type': JSON_TYPE }).end(refusal(message));
}

const JSON_TYPE = 'application/json; charset=utf-8';
const refusal = (message: string): string => JSON.stringify({ message, code: 'bad_query' });
