import type { ServerResponse } from 'node:http';
import { fromModel, valueOf, type HeaderList } from './headers.js';

/**
 * A reply on its way to the client. Its last byte is held back until `end`, so that the record can be written first.
 * Small replies of known length are held whole: if the replica breaks off, the client gets an error and not a torso.
 */
export interface Reply {
  /** Whether any byte is on its way to the client. */
  begun(): boolean;
  /** The head of what a replica answers, its headers as they came. */
  start(status: number, rawHeaders: unknown): void;
  /** @returns false when the client reads slower than the replica writes: pause until `onDrain`. */
  write(chunk: Buffer): boolean;
  onDrain(listener: () => void): void;
  /** An answer of our own, instead of a replica's. Only before `begun`. */
  replace(status: number, headers: HeaderList, body: string): void;
  /** Lets the held bytes go. */
  end(): void;
  /** The answer for the record; the body cut at the limit. */
  answer(): { status: number; headers: HeaderList; body: Buffer; truncated: boolean };
}

export interface ReplyOptions {
  res: ServerResponse;
  /** Put on every reply. */
  stamp: HeaderList;
  /** How much of the body is kept for the record; 0 for none. */
  keepBytes: number;
}

const HELD_BYTES = 64 * 1024;

export function createReply({ res, stamp, keepBytes }: ReplyOptions): Reply {
  let status = 0;
  let headers: HeaderList = [];
  let expected: number | undefined;
  let received = 0;
  let begun = false;
  let held: Buffer[] = [];
  let kept: Buffer[] = [];
  let keptBytes = 0;

  function keep(chunk: Buffer): void {
    if (keptBytes >= keepBytes) return;
    const part = chunk.length > keepBytes - keptBytes ? Buffer.from(chunk.subarray(0, keepBytes - keptBytes)) : chunk;
    kept.push(part);
    keptBytes += part.length;
  }

  function begin(): void {
    begun = true;
    res.writeHead(status, headers);
  }

  return {
    begun: () => begun,
    start(code, rawHeaders) {
      status = code;
      headers = [...fromModel(rawHeaders), ...stamp];
      const length = valueOf(headers, 'content-length');
      expected = length === undefined ? undefined : Number(length);
      if (expected === undefined || expected > HELD_BYTES) {
        begin();
        res.flushHeaders();
      }
    },
    write(chunk) {
      received += chunk.length;
      keep(chunk);
      // Without a length the client sees the end by itself only when we end the reply: nothing is held.
      if (!begun || received === expected) {
        held.push(chunk);
        return true;
      }
      return res.write(chunk);
    },
    onDrain: (listener) => void res.on('drain', listener),
    replace(code, own, body) {
      status = code;
      headers = [...own, 'content-length', String(Buffer.byteLength(body)), ...stamp];
      held = body === '' ? [] : [Buffer.from(body)];
      [kept, keptBytes, received, expected] = [[], 0, 0, undefined];
      for (const chunk of held) keep(chunk);
    },
    end() {
      if (!begun) begin();
      const [only] = held;
      if (only === undefined) res.end();
      else res.end(held.length === 1 ? only : Buffer.concat(held));
    },
    answer: () => ({
      status,
      headers,
      body: kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept),
      truncated: received > keptBytes && keepBytes > 0,
    }),
  };
}
