import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Middleware } from 'koa';
import { plainTags } from './etag.js';
import type { HttpState } from './state.js';

/** Content codings, the one that this server prefers first. Zstandard is there from Node 22.15 on. */
export type Encoding = 'br' | 'zstd' | 'gzip';
type Compress = (bytes: Buffer) => Promise<Buffer>;

const { BROTLI_PARAM_QUALITY } = zlib.constants;
const brotli: Compress = (bytes) =>
  promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, { params: { [BROTLI_PARAM_QUALITY]: 4 } });
const COMPRESS: Readonly<Partial<Record<Encoding, Compress>>> = {
  br: brotli,
  ...('zstdCompress' in zlib && { zstd: promisify(zlib.zstdCompress as typeof zlib.gzip) }),
  gzip: promisify<Buffer, Buffer>(zlib.gzip),
};
const ENCODINGS = Object.keys(COMPRESS) as Encoding[];

/** Smaller answers fit into one packet anyway. */
const SMALLEST = 1_024;
const COMPRESSIBLE = /^(text\/|application\/(json|[\w.-]+\+json|javascript))/;

/** The coding of an answer of so many bytes; undefined: as it is. */
export function encodingOf({ 'accept-encoding': accepted }: IncomingHttpHeaders, size: number): Encoding | undefined {
  if (accepted === undefined || size < SMALLEST) return undefined;
  const weights = new Map<string, number>();
  for (const part of String(accepted).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Encoding | undefined;
  for (const each of ENCODINGS) if (weightOf(each) > (best === undefined ? 0 : weightOf(best))) best = each;
  return best !== undefined && (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}

export const compress = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  COMPRESS[encoding]?.(bytes) ?? Promise.reject(new Error(`${encoding} is not supported by this Node`));

/** A strong tag names the bytes that are sent, so an encoded answer has one of its own. */
export const encodedTag = (etag: string, encoding: Encoding): string => `${etag.slice(0, -1)};${encoding}"`;

/** The tag of a 304: the one that the client has sent, if that is of an encoded answer. */
export function knownTag({ 'if-none-match': match }: IncomingHttpHeaders, etag: string): string {
  const encoding = ENCODINGS.find((each) => match?.includes(encodedTag(etag, each)));
  return encoding === undefined ? etag : encodedTag(etag, encoding);
}

/** Compresses answers that are complete; what is written bit by bit, such as a followed log, is never held back. */
export function compression(): Middleware<HttpState> {
  return async function compression(ctx, next) {
    const { headers } = ctx.req;
    const asked = { ...headers };
    for (const name of ['if-match', 'if-none-match'] as const) {
      if (headers[name] !== undefined) headers[name] = plainTags(headers[name]);
    }
    await next();
    const etag = ctx.response.etag;
    if (ctx.status === 304 && etag) ctx.set('ETag', knownTag(asked, etag));
    const bytes = bytesOf(ctx.body);
    if (bytes === undefined || bytes.length < SMALLEST || !COMPRESSIBLE.test(ctx.response.type)) return;
    ctx.vary('Accept-Encoding');
    const encoding = encodingOf(headers, bytes.length);
    if (encoding === undefined) return;
    ctx.body = await compress(bytes, encoding);
    ctx.set('Content-Encoding', encoding);
    if (etag) ctx.set('ETag', encodedTag(etag, encoding));
  };
}

function bytesOf(body: unknown): Buffer | undefined {
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const isPlain = Array.isArray(body) || Object.getPrototypeOf(body ?? 0) === Object.prototype;
  return isPlain ? Buffer.from(JSON.stringify(body)) : undefined;
}
