import type { ServerResponse } from 'node:http';
import { createHandler, type ReceiverOptions } from './handler.js';
import { type NodeRequest, readNodeBody } from './node-body.js';

/** The part of Koa's context that the receiver uses. */
export interface KoaContext {
  method: string;
  path: string;
  req: NodeRequest;
  res: ServerResponse;
  status: number;
  body: unknown;
  set(headers: Record<string, string>): void;
}

/**
 * `app.use(receiver({ ... }))`, before any body parser. Answers under its own path only.
 * @throws ReceiverError, WebhookKeyError when the options cannot be used
 */
export function receiver<Tx>(options: ReceiverOptions<Tx>) {
  const handle = createHandler(options);
  return async function slipwayReceiver(ctx: KoaContext, next: () => Promise<unknown>): Promise<void> {
    const { method, path, req } = ctx;
    const reply = await handle({
      ...{ method, path, headers: req.headers },
      header: (name) => [req.headers[name]].flat()[0],
      readBody: (maxBytes) => readNodeBody(req, maxBytes),
    });
    if (reply === undefined) return void (await next());
    ctx.status = reply.status;
    ctx.set(reply.headers);
    ctx.body = reply.body;
  };
}
