import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUILT_IN_DATASETS } from '../../reference/dataset/built-in-datasets.js';
import type { SampleDataset } from './sample.js';

export interface DataClientOptions {
  baseUrl: string;
  /** `x-api-key` or `authorization`, with its value. */
  credential: Record<string, string>;
}

/** A part of what an import tells. */
interface Import {
  id: string;
  status: {
    state: string;
    message?: string;
    rows_read: number;
    created: number;
    updated: number;
    unchanged: number;
    failed: number;
    errors: unknown[];
    rows_per_second?: number;
    version_to?: number;
  };
}
const OVER = ['succeeded', 'failed', 'canceled'];
const POLL_MS = 1_000;
const PIECE_LINES = 1_000;

/** Declares and fills datasets, as any HTTP client would. */
export function createDataClient({ baseUrl, credential }: DataClientOptions) {
  async function call<T>(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<T> {
    const reply = await fetch(`${baseUrl}${path}`, { ...init, headers: { ...credential, ...init.headers } });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text) as T;
  }

  return {
    /** Declares a dataset as at installation, with the credit for its rows; an equal declaration changes nothing. */
    async declare({ name, attribution }: SampleDataset): Promise<void> {
      const body = JSON.stringify({
        kind: 'Dataset',
        id: name,
        spec: { ...BUILT_IN_DATASETS.get(name), ...(attribution && { attribution }) },
      });
      await call(`/v2/datasets/${name}`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } });
    },
    /** Streams the rows into an import and waits for its end. */
    async load({ name, lines }: SampleDataset, report: (status: Import['status']) => void): Promise<Import['status']> {
      const { id, ...started } = await call<Import>(`/v2/${name}/imports`, {
        method: 'POST',
        body: Readable.toWeb(Readable.from(pieces(lines()))) as ReadableStream,
        duplex: 'half',
        headers: { 'content-type': 'application/x-ndjson' },
      });
      let { status } = started;
      while (!OVER.includes(status.state)) {
        await sleep(POLL_MS);
        ({ status } = await call<Import>(`/v2/${name}/imports/${id}`));
        report(status);
      }
      if (status.state !== 'succeeded' || status.failed > 0) {
        throw new Error(
          `${name}: ${status.state}: ${status.message ?? ''} ${JSON.stringify(status.errors.slice(0, 3))}`,
        );
      }
      return status;
    },
  };
}

/** A request is written in parts of many lines. */
function* pieces(lines: Iterable<string>): Generator<Buffer> {
  let piece: string[] = [];
  for (const line of lines) {
    piece.push(line);
    if (piece.length < PIECE_LINES) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
  }
  yield Buffer.from(piece.join(''));
}
