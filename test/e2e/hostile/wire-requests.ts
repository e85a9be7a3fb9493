import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes that are no valid request, or one that a proxy and a server would read in two ways. */
export interface WireRequest {
  name: string;
  bytes: string;
  /** Status of the only answer; `none` when the connection is closed. */
  status: '400' | 'none';
}

const GET = 'GET /v2/health HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const POST = 'POST /api/v1/connection HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

// prettier-ignore
export const WIRE_REQUESTS: readonly WireRequest[] = [
  { name: 'two lengths',              bytes: `${POST}Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`, status: '400' },
  { name: 'length and chunks',        bytes: `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`, status: '400' },
  { name: 'unknown encoding',         bytes: `${POST}Transfer-Encoding: xchunked\r\n\r\n${SMUGGLED}`,                              status: '400' },
  { name: 'chunk beyond measure',     bytes: `${POST}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`,                     status: '400' },
  { name: 'length below zero',        bytes: `${POST}Content-Length: -1\r\n\r\n`,                                                  status: '400' },
  { name: 'blank before a colon',     bytes: `${GET}X-A : b\r\n\r\n`,                                                              status: '400' },
  { name: 'folded header',            bytes: `${GET}X-A: b\r\n c: d\r\n\r\n`,                                                      status: '400' },
  { name: 'NUL in a header',          bytes: `${GET}X-A: b\u0000c\r\n\r\n`,                                                        status: '400' },
  { name: 'line feeds alone',         bytes: `GET /v2/health HTTP/1.1\nHost: 127.0.0.1\nX: a\rGET /smuggled HTTP/1.1\n\n`,         status: '400' },
  { name: 'head of 200 KiB',          bytes: `${GET}X-A: ${'a'.repeat(200_000)}\r\n\r\n`,                                          status: '400' },
  { name: 'many headers',             bytes: `${GET}${Array.from({ length: 20_000 }, (_, at) => `X-${at}: a\r\n`).join('')}\r\n`,  status: '400' },
  { name: 'method of markup',         bytes: '<script> / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',                                     status: '400' },
  { name: 'two hosts',                bytes: `${GET}Host: evil.example\r\n\r\n`,                                                   status: '400' },
  { name: 'host of another',          bytes: 'GET /v2/health HTTP/1.1\r\nHost: evil.example\r\n\r\n',                              status: '400' },
  { name: 'address of another',       bytes: 'GET http://169.254.169.254/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',                    status: '400' },
  { name: 'a tunnel',                 bytes: 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',                     status: 'none' },
  { name: 'token with NUL',           bytes: `${GET}Authorization: Bearer a\u0001b\r\n\r\n`,                                       status: '400' },
];

/** Sends bytes on a connection of their own. @returns all that comes back within a while */
export async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(Buffer.from(bytes, 'latin1'));
  const closed = once(socket, 'close');
  while (answer === '' && !socket.closed) await Promise.race([closed, sleep(20)]);
  await Promise.race([closed, sleep(200)]);
  socket.destroy();
  return answer;
}
