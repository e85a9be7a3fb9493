import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENT } from '../patient-server.js';

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Answer = (seen: Seen, response: ServerResponse, count: number) => void;

/** A real server that answers as a test says, and remembers what it was asked. `count` is the number of the request. */
export async function startReplyServer(answer: Answer) {
  const seen: Seen[] = [];
  const server = createServer(PATIENT, (request, response) => {
    void (async () => {
      let body = '';
      for await (const part of request) body += String(part);
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      answer(one, response, seen.length);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
export type ReplyServer = Awaited<ReturnType<typeof startReplyServer>>;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
