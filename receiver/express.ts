import type { ServerResponse } from 'node:http';
import { createHandler, type ReceiverOptions } from './handler.js';
import { type NodeRequest, readNodeBody } from './node-body.js';

/**
 * `app.use(receiver({ ... }))`, before any body parser, or behind `express.raw`. Answers under its own path only.
 * @throws ReceiverError, WebhookKeyError when the options cannot be used
 */
export function receiver<Tx>(options: ReceiverOptions<Tx>) {
  const handle = createHandler(options);
  return function slipwayReceiver(
    req: NodeRequest & { path: string },
    res: ServerResponse,
    next: (err?: unknown) => void,
  ): void {
    handle({
      ...{ method: req.method ?? '', path: req.path, headers: req.headers },
      header: (name) => [req.headers[name]].flat()[0],
      readBody: (maxBytes) => readNodeBody(req, maxBytes),
    }).then((reply) => {
      if (reply === undefined) next();
      else res.writeHead(reply.status, reply.headers).end(reply.body);
    }, next);
  };
}
