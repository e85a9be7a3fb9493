import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';

export interface CodecEndpointOptions {
  codec: Pick<PayloadCodec, 'decode'>;
  /** Drawn for each start: only those who were given the address can have payloads decrypted. */
  token: string;
  /** The origin of Temporal's Web UI, whose pages may ask. */
  origin: string;
}

/** Payloads as JSON of their protocol buffers: bytes are Base64. */
const Payloads = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), z.base64()).default({}), data: z.base64().default('') }))
    .default([]),
});

/** `POST /<token>/decode`: the codec server of Temporal's Web UI and command line. It encrypts nothing. */
export function createCodecEndpoint({ codec, token, origin }: CodecEndpointOptions): RequestListener {
  const path = Buffer.from(`/${token}/decode`);
  const isKnown = (url = ''): boolean => {
    const given = Buffer.from(url);
    return given.length === path.length && timingSafeEqual(given, path);
  };

  async function decode(req: IncomingMessage): Promise<object> {
    const { payloads } = Payloads.parse(JSON.parse(await text(req)));
    const decoded = await codec.decode(payloads.map(fromJson));
    return { payloads: decoded.map(toJson) };
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isKnown(req.url)) return send(res, 404, { message: 'use the address that "slipway secrets codec" printed' });
    allowOrigin(res, origin);
    if (req.method === 'OPTIONS') return send(res, 204);
    if (req.method !== 'POST') return send(res, 405, { message: 'use POST' });
    await decode(req).then(
      (body) => send(res, 200, body),
      (err: unknown) => send(res, 400, { message: err instanceof Error ? err.message : String(err) }),
    );
  }

  return (req, res) => void answer(req, res);
}

function allowOrigin(res: ServerResponse, origin: string): void {
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-allow-methods', 'POST');
  res.setHeader('access-control-allow-headers', 'content-type, x-namespace, authorization, authorization-extras');
  res.setHeader('vary', 'origin');
}

function send(res: ServerResponse, status: number, body?: object): void {
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  res.end(body === undefined ? undefined : JSON.stringify(body));
}

const fromJson = ({ metadata, data }: z.infer<typeof Payloads>['payloads'][number]): Payload => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
  data: Buffer.from(data, 'base64'),
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const toJson = ({ metadata, data }: Payload): object => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
  ...(data && { data: base64(data) }),
});
