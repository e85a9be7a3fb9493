import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SlipwayError } from '../kinds/errors.js';
import { fromMetadata } from './log-offset.js';
import { createLogWriter } from './log-writer.js';
import type { LogEnd, LogStore, LogWriter } from './logs.js';
import type { ObjectInfo, ObjectStore } from './objects.js';

/** Content of `done.json`. */
const Done = z.object({ exitCode: z.number().optional(), chunks: z.number(), bytes: z.number(), tail: z.string() });

const TAIL_LINES = 50;
const TAIL_BYTES = 8 * 1_024;
const CHUNK_NAME = /^\d{8}\.log$/;

export interface LogsOptions {
  objects: ObjectStore;
  /** How often a follower asks for the next chunk. */
  pollMs?: number;
  /** How long a line waits for its chunk to fill. */
  flushMs?: number;
  /** How much of the output of user code one log takes. */
  maxBytes?: number;
}

export function createLogs({ objects, pollMs = 500, flushMs = 2_000, maxBytes = Infinity }: LogsOptions): LogStore {
  const chunkKey = (prefix: string, number: number) => `${prefix}${String(number).padStart(8, '0')}.log`;
  const doneKey = (prefix: string) => `${prefix}done.json`;

  async function readText(key: string): Promise<string | undefined> {
    try {
      return (await objects.read(key)).toString();
    } catch (err) {
      if (isCode(err, 'not_found')) return undefined;
      throw err;
    }
  }

  async function readDone(prefix: string) {
    const text = await readText(doneKey(prefix));
    return text === undefined ? undefined : Done.parse(JSON.parse(text));
  }

  /** Chunks of this log, without those of logs below it (replicas). */
  async function listChunks(prefix: string): Promise<ObjectInfo[]> {
    const found: ObjectInfo[] = [];
    for await (const info of objects.list(prefix)) if (CHUNK_NAME.test(info.key.slice(prefix.length))) found.push(info);
    return found;
  }

  async function readTail(chunks: readonly ObjectInfo[]): Promise<string> {
    let text = '';
    for (const { key } of chunks.toReversed()) {
      text = (await objects.read(key)).toString() + text;
      if (text.length >= TAIL_BYTES || text.split('\n').length > TAIL_LINES) break;
    }
    return lastLines(text);
  }

  async function end(prefix: string): Promise<LogEnd | undefined> {
    const done = await readDone(prefix);
    return done && { ...(done.exitCode !== undefined && { exitCode: done.exitCode }), tail: done.tail };
  }

  /** The first end counts: a writer that comes late gets what was stored. */
  async function storeEnd(prefix: string, exitCode: number | undefined): Promise<LogEnd> {
    const chunks = await listChunks(prefix);
    const done = { exitCode, chunks: chunks.length, bytes: sizeOf(chunks), tail: await readTail(chunks) };
    const options = { contentType: 'application/json', ifAbsent: true };
    await objects.put(doneKey(prefix), JSON.stringify(done), options);
    return (await end(prefix)) ?? { ...(exitCode !== undefined && { exitCode }), tail: done.tail };
  }

  return {
    async writer(prefix) {
      const ended = await end(prefix);
      const chunks = await listChunks(prefix);
      const last = chunks.at(-1);
      const stored = last === undefined ? { steps: [] } : fromMetadata(last.metadata);
      if (ended !== undefined) return endedWriter(ended, stored.position);
      return createLogWriter({
        objects,
        chunkKey: (number) => chunkKey(prefix, number),
        chunks: chunks.length,
        storedBytes: sizeOf(chunks),
        stored,
        maxBytes,
        end: (exitCode) => storeEnd(prefix, exitCode),
        tail: async () => readTail(await listChunks(prefix)),
        flushMs,
      });
    },

    async *read(prefix, { follow, signal }) {
      let number = 1;
      let done: z.infer<typeof Done> | undefined;
      while (!signal?.aborted) {
        try {
          done ??= await readDone(prefix);
          // Chunks after the end come from a writer that did not know it.
          for (; done === undefined || number <= done.chunks; number += 1) {
            const text = await readText(chunkKey(prefix, number));
            if (text === undefined) break;
            yield text;
          }
          if (done !== undefined || !follow) return;
        } catch (err) {
          // A follower outlives an outage: ended here, its client would ask again and print everything twice.
          if (!follow || !isCode(err, 'unavailable')) throw err;
        }
        await sleep(pollMs, undefined, { signal }).catch(() => {}); // aborted: the loop ends
      }
    },

    exists: async (prefix) =>
      (await objects.head(chunkKey(prefix, 1))) !== undefined || (await objects.head(doneKey(prefix))) !== undefined,
    end,
    async remove(prefix) {
      for await (const { key } of objects.list(prefix)) await objects.remove(key);
    },
  };
}

const sizeOf = (chunks: readonly ObjectInfo[]) => chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

function endedWriter(ended: LogEnd, position: LogWriter['position']): LogWriter {
  return {
    position,
    step: async () => {},
    append: async () => {},
    flush: async () => {},
    tail: async () => ended.tail,
    finish: async () => ended,
  };
}

/** The last lines, cut to size from the front at a line's begin, or within the line when one is longer. */
function lastLines(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').slice(-TAIL_LINES);
  while (lines.length > 1 && Buffer.byteLength(lines.join('\n')) > TAIL_BYTES) lines.shift();
  // A character that was cut in two decodes to the replacement character.
  const bytes = Buffer.from(lines.join('\n'));
  return bytes
    .subarray(-TAIL_BYTES)
    .toString()
    .replace(/^\uFFFD+/, '');
}

const isCode = (err: unknown, code: SlipwayError['code']) => err instanceof SlipwayError && err.code === code;
