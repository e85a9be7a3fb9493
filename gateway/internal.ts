import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

interface InternalDeps {
  registry: Registry;
  /** Whether there is a route table to serve from. */
  ready: () => boolean;
}

/** `/livez`, `/readyz` and `/metrics`, for a port that the outside does not reach. */
export function createInternal({ registry, ready }: InternalDeps): Server {
  return createServer((req, res) => {
    const path = (req.url ?? '').replace(/\?.*$/, '');
    if (path === '/livez') return void res.end('ok');
    if (path === '/readyz') return void res.writeHead(ready() ? 200 : 503).end(ready() ? 'ok' : 'no route table yet');
    if (path !== '/metrics') return void res.writeHead(404).end();
    registry.metrics().then(
      (text) => res.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
}
