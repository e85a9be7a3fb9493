import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parseId } from '../../reference/id.js';
import { SlipwayError } from '../../resources/errors.js';
import { covers } from '../../resources/scope.js';
import type { Datasets, ReadyDataset } from '../../stores/datasets.js';
import type { Identify } from './credentials.js';
import { ENTITY_CACHING, freshnessOf } from './freshness.js';
import { openMissing } from './missing.js';
import type { RateLimit } from './rate-limit.js';
import { lastModifiedOf } from './read-entity.js';
import { etagOf } from './representation.js';

export interface FetchOptions {
  datasets: Datasets;
  identify: Identify;
  limit: RateLimit;
  /** Answers every other request, and those that this one would not answer with an entity. */
  otherwise: RequestListener;
}

const PLAIN = /^\/v2\/([a-z][a-z0-9_]{0,62})\/([1-9]\d{0,18})$/;

/**
 * The one request that is asked thousands of times a second, `GET /v2/{dataset}/{id}` without any option, straight from
 * memory to the socket. It passes the same checks as on the long way, and says the same; whatever is not plain, or does
 * not end with the entity, goes the long way from its beginning.
 */
export function createFetch({ datasets, identify, limit, otherwise }: FetchOptions): RequestListener {
  async function fetch(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const [, name = '', digits = ''] = PLAIN.exec(req.url ?? '') ?? [];
    const id = parseId(digits);
    if (id === undefined || !isPlain(req)) return false;
    const client = await identify(req.headers).catch(refused);
    if (client === undefined || !covers(client.scopes, `data:read:${name}`)) return false;
    const ready = readyOrNot(datasets, name);
    if (ready === undefined) return false;
    const { rows, visible } = ready.dataset.replica;
    const row = rows.findAt(id, visible);
    if (row < 0 || rows.isDeleted(row) || openMissing(datasets, ready, client)?.of(row).length) return false;
    const { exceeded, headers } = await limit.count(client.actor);
    if (exceeded) return false;
    const bytes = rows.bytes(row);
    const etag = etagOf({ version: rows.version(row), generation: ready.declaration.generation, ids: 'string' });
    const isKnown = req.headers['if-none-match'] === etag;
    const about = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(bytes.length)];
    res.writeHead(isKnown ? 304 : 200, [
      ...(isKnown ? [] : about),
      'ETag',
      etag,
      'Last-Modified',
      lastModifiedOf(bytes),
      'X-Request-Id',
      randomUUID(),
      ...ENTITY_CACHING,
      ...freshnessOf(ready.dataset),
      ...headers,
    ]);
    res.end(isKnown ? undefined : bytes);
    return true;
  }

  return (req, res) => {
    fetch(req, res).then(
      (answered) => {
        if (!answered) otherwise(req, res);
      },
      () => res.destroy(),
    );
  };
}

function isPlain({ method, headers }: IncomingMessage): boolean {
  const { accept = '*/*', 'if-none-match': tag } = headers;
  return (
    method === 'GET' &&
    (accept === '*/*' || accept === 'application/json') &&
    (tag === undefined || /^"[\w.-]+"$/.test(tag)) &&
    headers['slipway-min-version'] === undefined &&
    headers['x-request-id'] === undefined
  );
}

/** The long way says why. */
function refused(err: unknown): undefined {
  if (!(err instanceof SlipwayError)) throw err;
}

function readyOrNot(datasets: Datasets, name: string): ReadyDataset | undefined {
  try {
    return datasets.get(name);
  } catch (err) {
    refused(err);
    return undefined;
  }
}
