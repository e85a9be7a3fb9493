import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parseJson } from '../../../reference/rows/json.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Identify } from '../credentials.js';
import { ENTITY_CACHING } from '../freshness.js';
import { toProblem } from '../problems.js';
import type { RateLimit } from '../rate-limit.js';
import { type GraphCall, LIMIT_BYTES, toCall } from './request.js';
import { MEDIA_TYPES, type MediaType } from './response.js';
import type { Client } from '../state.js';
import type { AnswerCall } from './routes.js';

export interface AskOptions {
  answer: AnswerCall;
  identify: Identify;
  limit: RateLimit;
  /** Answers every other request. */
  otherwise: RequestListener;
}

/**
 * The request of most clients of the graph, a `POST` of JSON with a plain header, straight from the socket to the plan
 * and back. It passes the same checks as on the long way, and says the same; whatever is not plain goes the long way.
 */
export function createAsk({ answer, identify, limit, otherwise }: AskOptions): RequestListener {
  /** @returns undefined where the long way says why not */
  async function identified({ headers }: IncomingMessage): Promise<Client | undefined> {
    try {
      return await identify(headers);
    } catch (err) {
      if (!(err instanceof SlipwayError)) throw err;
      return undefined;
    }
  }

  async function ask(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const type = plainType(req);
    if (type === undefined) return false;
    const client = await identified(req);
    if (client === undefined) return false;
    const { exceeded, headers } = limit.count(client.actor);
    if (exceeded) return false;
    const requestId = randomUUID();
    const about = ['X-Request-Id', requestId, ...headers];
    const call = await readCall(req).catch((cause: unknown) => {
      if (!(cause instanceof SlipwayError)) throw cause;
      const body = JSON.stringify(toProblem(cause, requestId));
      send(res, cause.status, body, [
        'Content-Type',
        'application/problem+json',
        'Cache-Control',
        'no-store',
        ...about,
      ]);
    });
    if (call === undefined) return true;
    const { status, body } = await answer(call, { client, requestId, type });
    if (status === 503) about.push('Retry-After', '1');
    send(res, status, body, ['Content-Type', `${type}; charset=utf-8`, ...ENTITY_CACHING, ...about]);
    return true;
  }

  return (req, res) => {
    ask(req, res).then(
      (answered) => {
        if (!answered) otherwise(req, res);
      },
      () => res.destroy(),
    );
  };
}

function send(res: ServerResponse, status: number, body: string, headers: readonly string[]): void {
  res.writeHead(status, ['Content-Length', String(Buffer.byteLength(body)), ...headers]);
  res.end(body);
}

/** The media type of the answer; undefined where the header asks for more than this way knows. */
function plainType({ method, url, headers }: IncomingMessage): MediaType | undefined {
  const { accept = '*/*', 'content-type': type, 'content-length': length = '' } = headers;
  const isPlain =
    method === 'POST' &&
    url === '/v2/graphql' &&
    /^application\/json(; ?charset=utf-8)?$/i.test(type ?? '') &&
    /^\d{1,6}$/.test(length) &&
    Number(length) <= LIMIT_BYTES &&
    headers['slipway-min-version'] === undefined &&
    headers['x-request-id'] === undefined;
  if (!isPlain) return undefined;
  return accept === '*/*' ? MEDIA_TYPES[0] : MEDIA_TYPES.find((each) => each === accept);
}

/** Of the length that was said, which node:http sees to. @throws body.malformed */
async function readCall(req: IncomingMessage): Promise<GraphCall> {
  const bytes = await bytesOf(req);
  try {
    return toCall('POST', parseJson(UTF8.decode(bytes)));
  } catch (cause) {
    if (cause instanceof TypeError) throw new SlipwayError('body.malformed', 'the body is not UTF-8', { cause });
    throw cause;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** By events: to walk the stream takes as long as the rest of a small request. */
const bytesOf = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    req
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)))
      .on('error', reject);
  });
