import { ReceiverError } from './errors.js';
import { createHandler, type ReceiverOptions } from './handler.js';
import { collect } from './node-body.js';
import { failure } from './reply.js';

/**
 * A handler of fetch requests, for Hono, Next.js, Bun, Deno and the like. What is not under its path is a 404.
 * @throws ReceiverError, WebhookKeyError when the options cannot be used
 */
export function receiver<Tx>(options: ReceiverOptions<Tx>): (request: Request) => Promise<Response> {
  const handle = createHandler(options);
  return async function slipwayReceiver(request) {
    const reply = await handle({
      ...{ method: request.method, path: new URL(request.url).pathname, headers: request.headers },
      header: (name) => request.headers.get(name) ?? undefined,
      readBody: (maxBytes) => readBody(request, maxBytes),
    });
    const { status, headers, body } = reply ?? failure(404, 'path.not_found', 'nothing is received here');
    return new Response(body, { status, headers });
  };
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed) throw new ReceiverError('body.already_read');
  return request.body === null ? new Uint8Array() : collect(request.body, maxBytes);
}
