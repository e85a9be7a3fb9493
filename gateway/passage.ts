import type { IncomingMessage, ServerResponse } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import type { Logger } from 'pino';
import { fromUpstream, toApiHeaders } from './headers.js';

/** How long the management API may take to begin an answer; its answers may take as long as they like. */
const HEADERS_TIMEOUT_MS = 60_000;

/** Everything that is not the gateway's own goes to the management API as it is, and comes back unbuffered. */
export function createPassage({ apiUrl, log }: { apiUrl: string; log: Pick<Logger, 'warn'> }) {
  const pool = new Pool(apiUrl, {
    connect: { timeout: 2_000 },
    // Far below the 65 s of the API, which it names: on a busy machine both would end a connection at one moment, and a change
    // that is on its way then has no answer.
    keepAliveMaxTimeout: 30_000,
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: 0, // a log may be silent for long
  });

  function fail(res: ServerResponse, err: Error): void {
    if (res.headersSent || res.closed) return void res.destroy();
    log.warn({ err }, 'the management API does not answer');
    const body = JSON.stringify({ message: 'the management API does not answer', code: 'unavailable' });
    res.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' }).end(body);
  }

  return {
    handle(req: IncomingMessage, res: ServerResponse): void {
      let controller: Dispatcher.DispatchController | undefined;
      const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
      const options: Dispatcher.DispatchOptions = {
        method: req.method ?? 'GET',
        path: req.url ?? '/',
        headers: toApiHeaders(req),
        body: hasBody ? req : null,
      };
      res.on('close', () => controller?.abort(new Error('the client closed its connection')));
      res.on('drain', () => controller?.resume());
      try {
        pool.dispatch(options, {
          onRequestStart(given) {
            controller = given;
            if (res.closed) given.abort(new Error('the client closed its connection'));
          },
          onResponseStart(given, status) {
            if (status < 200) return;
            res.writeHead(status, fromUpstream(given.rawHeaders));
            res.flushHeaders();
          },
          onResponseData(given, chunk) {
            if (!res.write(chunk)) given.pause();
          },
          onResponseEnd: () => void res.end(),
          onResponseError: (_given, err) => fail(res, err),
        });
      } catch {
        res.writeHead(400, { 'content-type': 'application/json; charset=utf-8' });
        res.end(JSON.stringify({ message: 'the request cannot be forwarded', code: 'bad_query' }));
      }
    },
    close: () => pool.close(),
  };
}
