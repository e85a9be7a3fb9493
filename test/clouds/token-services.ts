import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent, type Dispatcher } from 'undici';
import { PATIENT } from '../patient-server.js';

export interface TokenCall {
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type TokenAnswer = { status?: number; json: unknown };

/** Plays the token services of clouds, at an address of this machine. `calls` has all that was asked. */
export async function startTokenServices(answer: (call: TokenCall) => TokenAnswer | Promise<TokenAnswer>) {
  const calls: TokenCall[] = [];
  const server = createServer(PATIENT, (request, response) => {
    void text(request).then(async (body) => {
      const call = { path: request.url ?? '', headers: request.headers, body };
      calls.push(call);
      const { status = 200, json } = await answer(call);
      response.writeHead(status, { 'content-type': 'application/json', 'metadata-flavor': 'Google' });
      response.end(JSON.stringify(json));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, calls, dispatcher: leadTo(() => url), stop: () => void server.close() };
}

/** Connects to other addresses than those that are asked for, as by names that resolve to them. */
export const leadTo = (target: (path: string) => string): Dispatcher =>
  new Agent().compose((dispatch) => (options, handler) => {
    const { host } = new URL(String(options.origin));
    const headers = { ...(options.headers as Record<string, string>), host };
    return dispatch({ ...options, headers, origin: target(options.path) }, handler);
  });
