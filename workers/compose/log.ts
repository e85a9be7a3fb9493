import { writeSync } from 'node:fs';
import { type Level, type Logger, pino } from 'pino';

const STDOUT = 1;
/** Between two tries to write into a pipe whose reader is slow. */
const PAUSE_MS = 10;
const NOTHING = Buffer.alloc(0);
const paused = new Int32Array(new SharedArrayBuffer(4));

/** Opens the log of a process: JSON lines on its standard output. */
export const openLog = (name: string, level: Level | 'silent'): Logger => pino({ name, level }, createOutput(name));

/**
 * Writes each line at once. A line that finds no disk space is dropped; the next line that finds some comes after one
 * with the number of dropped ones. The stream of pino does not fit: it ends a process whose log cannot be written, and
 * tries a last line (`fatal`) without end.
 */
function createOutput(name: string) {
  /** The end of a line that was written in part. */
  let rest = NOTHING;
  let dropped = 0;

  function finish(): boolean {
    try {
      while (rest.length > 0) rest = rest.subarray(writeSome(rest));
      return true;
    } catch {
      return false;
    }
  }

  /** @returns false for a line of which nothing is written; the rest of one that was begun comes before the next */
  function put(line: string): boolean {
    if (!finish()) return false;
    const bytes = Buffer.from(line);
    rest = bytes;
    if (finish() || rest.length < bytes.length) return true;
    rest = NOTHING;
    return false;
  }

  const note = (): string => {
    const msg = 'log lines were dropped: they could not be written';
    return `${JSON.stringify({ level: pino.levels.values.warn, time: Date.now(), name, dropped, msg })}\n`;
  };

  return {
    write(line: string): void {
      if (dropped > 0 && put(note())) dropped = 0;
      if (dropped > 0 || !put(line)) dropped += 1;
    },
  };
}

function writeSome(bytes: Buffer): number {
  for (;;) {
    try {
      return writeSync(STDOUT, bytes);
    } catch (err) {
      if (!(err instanceof Error && 'code' in err && err.code === 'EAGAIN')) throw err;
      Atomics.wait(paused, 0, 0, PAUSE_MS);
    }
  }
}
