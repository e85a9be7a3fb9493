import type { IncomingMessage } from 'node:http';
import { ReceiverError } from './errors.js';

/** A request of Node, to which a parser may have added the bytes that it read. */
export type NodeRequest = IncomingMessage & { body?: unknown; rawBody?: unknown };

/** @throws ReceiverError body.already_read, body.too_large, body.aborted */
export async function readNodeBody(req: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  const kept = [req.rawBody, req.body].find((value) => value instanceof Uint8Array);
  if (kept !== undefined) return requireSize(kept, maxBytes);
  if (req.readableDidRead) throw new ReceiverError('body.already_read');
  if (Number(req.headers['content-length']) > maxBytes) throw new ReceiverError('body.too_large');
  return collect(
    // Left alone when it is too large, as a destroyed request cannot be answered.
    req.iterator({ destroyOnReturn: false }),
    maxBytes,
  );
}

function requireSize(body: Uint8Array, maxBytes: number): Uint8Array {
  if (body.byteLength > maxBytes) throw new ReceiverError('body.too_large');
  return body;
}

export async function collect(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new ReceiverError('body.too_large');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof ReceiverError ? cause : new ReceiverError('body.aborted', undefined, { cause });
  }
  return Buffer.concat(chunks);
}
