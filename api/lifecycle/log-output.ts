import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** The client's end of a log: waits for a slow client, and speaks when the log is silent. */
export interface LogOutput {
  write(text: string): Promise<void>;
  end(): void;
}

interface LogOutputOptions {
  body: Writable;
  signal: AbortSignal;
  /** Existing clients drop a stream that is silent for 10 s; absent = no heartbeat. */
  heartbeat?: { since: string; silenceMs: number };
}

export function createLogOutput({ body, signal, heartbeat }: LogOutputOptions): LogOutput {
  let silentSince = Date.now();
  const send = (text: string): boolean => {
    silentSince = Date.now();
    return body.write(text);
  };
  const beat = ({ since, silenceMs }: { since: string; silenceMs: number }): void => {
    if (Date.now() - silentSince < silenceMs) return;
    const running = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1_000));
    // Sent, never stored.
    send(`-- running ${running} s, no output for ${Math.round(silenceMs / 1_000)} s --\n`);
  };
  const timer = heartbeat && setInterval(() => beat(heartbeat), heartbeat.silenceMs / 16);
  return {
    async write(text) {
      if (text !== '' && !send(text)) await once(body, 'drain', { signal });
    },
    end() {
      clearInterval(timer);
      body.end();
    },
  };
}
