import type { LogLine } from '../kinds/log.js';
import { advance, compareOffsets, fromMetadata, toMetadata } from './log-offset.js';
import type { LogOffset } from './log-offset.js';
import type { LogEnd, LogWriter } from './logs.js';
import type { ObjectStore } from './objects.js';

const CHUNK_BYTES = 256 * 1_024;
/** Name of the state after the last step: like a step, it is not written twice. */
const END = '';

export interface LogWriterOptions {
  objects: ObjectStore;
  chunkKey: (number: number) => string;
  /** Number and size of the stored chunks, and the offset of the last one. */
  chunks: number;
  storedBytes: number;
  stored: LogOffset;
  /** Lines of the source beyond it are dropped, with a mark; steps and the end are still written. */
  maxBytes: number;
  /** Stores the end, unless there is one; returns the one that is stored. */
  end: (exitCode: number | undefined) => Promise<LogEnd>;
  /** Returns the last stored lines. */
  tail: () => Promise<string>;
  flushMs: number;
}

const cutMark = (maxBytes: number): string => `WARNING the log is cut here: it has more than ${maxBytes} bytes`;

/** Text that is not stored yet, and the offset once it is. */
interface Entry {
  text: string;
  mark: LogOffset;
}

/**
 * Writes chunks that must not exist. When one does, another writer follows the same source (a run whose heartbeat was
 * lost continues for a while): lines up to the offset of its chunk are left out here, and writing continues after it.
 */
export function createLogWriter({
  objects,
  chunkKey,
  chunks,
  storedBytes,
  stored,
  maxBytes,
  end,
  tail,
  flushMs,
}: LogWriterOptions): LogWriter {
  let current = stored;
  let entries: Entry[] = [];
  let bufferedBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  function add(text: string): void {
    if (compareOffsets(current, stored) <= 0) return; // another writer stored it already
    entries.push({ text, mark: current });
    bufferedBytes += Buffer.byteLength(text);
    flushSoon();
  }

  /** An error keeps the text buffered, and it is tried again: the next line of the source may be hours away. */
  function flushSoon(): void {
    timer ??= setTimeout(() => void flush().catch(flushSoon), flushMs).unref();
  }

  async function storeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    for (let last = entries.at(-1); last !== undefined; last = entries.at(-1)) {
      const key = chunkKey(chunks + 1);
      const text = entries.map((entry) => entry.text).join('');
      const metadata = toMetadata(last.mark);
      const { created } = await objects.put(key, text, { contentType: 'text/plain', metadata, ifAbsent: true });
      const found = created ? undefined : await objects.head(key);
      if (!created && found === undefined) continue; // removed in between
      stored = found === undefined ? last.mark : fromMetadata(found.metadata);
      chunks += 1;
      storedBytes += found?.sizeBytes ?? Buffer.byteLength(text);
      entries = entries.filter(({ mark }) => compareOffsets(mark, stored) > 0);
      bufferedBytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry.text), 0);
    }
  }

  function flush(): Promise<void> {
    const run = flushing.then(storeAll);
    flushing = run.catch(() => {});
    return run;
  }

  /** @param opening text at the beginning of the step, after the end of the step before */
  function begin(name: string, opening: string): void {
    if (name === current.steps.at(-1)) return;
    const known = [...current.steps, ...stored.steps.slice(current.steps.length)];
    const at = known.indexOf(name);
    const before = known.at(-1);
    // An earlier step is repeated: its lines are already stored and are left out, until the last step continues.
    if (at >= 0) current = at === stored.steps.length - 1 ? stored : { steps: known.slice(0, at + 1) };
    else current = { steps: [...known, name] };
    const text = `${before === undefined ? '' : `INFO ${before} ended\n`}${opening}`;
    if (at < 0 && text !== '') add(text);
  }

  return {
    get position() {
      return current.position;
    },
    async step(name) {
      begin(name, `INFO === ${name}\n`);
    },
    async append({ at, text }: LogLine) {
      current = { steps: current.steps, position: advance(current.position, at) };
      const before = storedBytes + bufferedBytes;
      if (before > maxBytes) return;
      const isLast = before + Buffer.byteLength(text) + 1 > maxBytes;
      // One entry with the mark: the size of the stored chunks tells the next writer that it is there.
      add(isLast ? `${text}\n${cutMark(maxBytes)}\n` : `${text}\n`);
      if (bufferedBytes >= CHUNK_BYTES) await flush();
    },
    flush,
    tail,
    async finish({ exitCode, failure } = {}) {
      begin(END, failure === undefined ? '' : `ERROR failed: ${failure}\n`);
      await flush();
      return end(exitCode);
    },
  };
}
