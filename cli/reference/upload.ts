import { SlipwayApiError, type Slipway } from '../../client/index.js';
import type { CliContext } from '../context.js';

/** The place of an import in the API. */
export interface ImportPath {
  dataset: string;
  id: string;
}

const PART_BYTES = 4 * 2 ** 20;
const MOST_TRIES = 6;

interface Upload extends Pick<CliContext, 'signal' | 'pause'> {
  http: Slipway['http'];
  path: ImportPath;
  content: AsyncIterable<Buffer | string>;
  onProgress: (bytes: number) => void;
}

/** Uploads content in parts; after a broken connection it continues where the server is. @returns its size in bytes */
export async function upload({ content, onProgress, ...to }: Upload): Promise<number> {
  let sent = 0;
  for await (const part of partsOf(content)) {
    await sendPart(to, { part, from: sent });
    sent += part.length;
    onProgress(sent);
  }
  return sent;
}

async function* partsOf(content: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(chunks);
    [chunks, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(chunks);
}

async function sendPart(
  { http, path, signal, pause }: Omit<Upload, 'content' | 'onProgress'>,
  { part, from }: { part: Buffer; from: number },
): Promise<void> {
  let at = from;
  for (let tries = 1; at < from + part.length; tries += 1) {
    try {
      await http.PATCH('/v2/{dataset}/imports/{id}', {
        params: { path, header: { 'upload-offset': at } },
        headers: { 'Content-Type': 'application/octet-stream' },
        body: part.subarray(at - from) as unknown as string, // bytes, which the schema calls a binary text
        bodySerializer: (bytes: unknown) => bytes,
        signal,
      });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!mayContinue(error) || tries === MOST_TRIES) throw error;
      await pause(250 * 2 ** tries, signal);
      const { data } = await http.GET('/v2/{dataset}/imports/{id}', { params: { path }, signal });
      at = data?.offset ?? at;
      if (at < from) throw error;
    }
  }
}

/** A connection that broke, or a part whose first try had arrived after all. */
const mayContinue = (error: unknown): boolean =>
  error instanceof SlipwayApiError && (error.code === 'unreachable' || error.code === 'import.offset');
