import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { covers } from '../../platform/kinds/scope.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import type { Identify } from './credentials.js';
import { freshnessOf } from './freshness.js';
import { type Missing, openMissing } from './missing.js';
import type { RateLimit } from './rate-limit.js';
import type { Client } from './state.js';

/** A read that is answered at once from memory, and is known by its path alone. */
export interface PlainRead {
  /** Its first group is the name of the dataset; the others are what `open` is given. */
  path: RegExp;
  /**
   * Looks whether there is something to answer, before the request is counted.
   * @returns undefined where the long way has something else to say
   */
  open(asked: PlainAsked): OpenedRead | undefined;
}

export interface PlainAsked extends ReadyDataset {
  parts: readonly string[];
  missing: Missing | undefined;
}

export interface OpenedRead {
  etag: string;
  /** Names and values in turns. */
  headers: readonly string[];
  /** JSON as the bytes of its UTF-8, a char each; asked for only where the client does not have it already. */
  body(): string;
}

export interface PlainReadsOptions {
  reads: readonly PlainRead[];
  datasets: Datasets;
  identify: Identify;
  limit: RateLimit;
  /** Answers every other request, and those that these ways would not answer well. */
  otherwise: RequestListener;
}

interface Asked {
  read: PlainRead;
  name: string;
  parts: readonly string[];
}

/**
 * The requests that are made thousands of times a second, without any option, straight from memory to the socket. They
 * pass the same checks as on the long way, and the answers say the same; whatever is not plain, or does not end well,
 * goes the long way from its beginning, which says why.
 */
export function createPlainReads({ reads, datasets, identify, limit, otherwise }: PlainReadsOptions): RequestListener {
  function find(req: IncomingMessage): Asked | undefined {
    if (!isPlain(req)) return undefined;
    for (const read of reads) {
      const found = read.path.exec(req.url ?? '');
      if (found !== null) return { read, name: found[1] ?? '', parts: found.slice(2) };
    }
    return undefined;
  }

  function answer({ read, name, parts }: Asked, client: Client, req: IncomingMessage, res: ServerResponse): boolean {
    if (!covers(client.scopes, `data:read:${name}`)) return false;
    const ready = datasets.get(name);
    const { dataset, declaration } = ready;
    // Nothing is waited for from here on: tag and body are of one moment.
    const opened = read.open({ dataset, declaration, parts, missing: openMissing(datasets, ready, client) });
    if (opened === undefined) return false;
    const { exceeded, headers } = limit.count(client.actor);
    if (exceeded) return false;
    const { etag } = opened;
    const about = ['ETag', etag, 'X-Request-Id', randomUUID()];
    about.push(...opened.headers, ...freshnessOf(dataset), ...headers);
    if (req.headers['if-none-match'] === etag) {
      res.writeHead(304, about).end();
      return true;
    }
    const body = opened.body();
    about.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length));
    res.writeHead(200, about).end(body, 'latin1');
    return true;
  }

  function settle(asked: Asked, client: Client, req: IncomingMessage, res: ServerResponse): void {
    let isAnswered = false;
    try {
      isAnswered = answer(asked, client, req, res);
    } catch {
      if (res.headersSent) return void res.destroy();
    }
    if (!isAnswered) otherwise(req, res);
  }

  async function settleLater(
    asked: Asked,
    client: Promise<Client>,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    const known = await client.catch(() => undefined);
    if (known === undefined) otherwise(req, res);
    else settle(asked, known, req, res);
  }

  return (req, res) => {
    const asked = find(req);
    if (asked === undefined) return otherwise(req, res);
    let client: Client | Promise<Client>;
    try {
      client = identify(req.headers);
    } catch {
      return otherwise(req, res); // it says why
    }
    if (client instanceof Promise) void settleLater(asked, client, req, res);
    else settle(asked, client, req, res);
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
