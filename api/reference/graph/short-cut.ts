import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../../reference/rows/json.js';
import { decodeUtf8 } from '../../http/body-bytes.js';
import { toSlipwayError } from '../../http/errors.js';
import { problemHeaders, toProblem } from '../../http/problem.js';
import { ROW_CACHING } from '../freshness.js';
import type { ShortCut, ShortReply } from '../short-cuts.js';
import { type GraphCall, LIMIT_BYTES, toCall } from './request.js';
import { MEDIA_TYPES, type MediaType } from './response.js';
import type { AnswerCall } from './routes.js';

/** Answers the request of most clients of the graph, a `POST` of JSON without options, from the socket to the plan. */
export const createGraphShortCut = (answer: AnswerCall): ShortCut<MediaType> => ({
  match: mediaTypeOf,

  async answer(type, { req, client, requestId, count }): Promise<ShortReply | undefined> {
    const rate = count();
    if (rate === undefined) return undefined;
    let call: GraphCall;
    try {
      call = toCall('POST', parseJson(decodeUtf8(await bytesOf(req))));
    } catch (cause) {
      const error = toSlipwayError(cause);
      if (error.code === 'internal') throw error;
      const text = JSON.stringify(toProblem(error, requestId));
      return { status: error.status, headers: [...problemHeaders(error), ...rate], body: { text, encoding: 'utf8' } };
    }
    const { status, body } = await answer(call, { client, requestId, type });
    const headers = ['Content-Type', `${type}; charset=utf-8`, ...ROW_CACHING, ...rate];
    if (status === 503) headers.push('Retry-After', '1');
    return { status, headers, body: { text: body, encoding: 'utf8' } };
  },
});

/** The media type of the answer; undefined for a request with options. */
function mediaTypeOf({ method, url, headers }: IncomingMessage): MediaType | undefined {
  const { accept = '*/*', 'content-type': type, 'content-length': length = '' } = headers;
  const isShort =
    method === 'POST' &&
    url === '/v2/graphql' &&
    /^application\/json(; ?charset=utf-8)?$/i.test(type ?? '') &&
    /^\d{1,6}$/.test(length) &&
    Number(length) <= LIMIT_BYTES;
  if (!isShort) return undefined;
  return accept === '*/*' ? MEDIA_TYPES[0] : MEDIA_TYPES.find((each) => each === accept);
}

/** Reads a body of known length by events: an async iterator takes as long as the rest of a small request. */
const bytesOf = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    req
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)))
      .on('error', reject);
  });
