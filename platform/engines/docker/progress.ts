import { z } from 'zod';
import type { LogSink } from '../driver.js';
import { engineFailed } from '../refusal.js';
import type { Reason } from '../../kinds/reasons.js';

const TAIL_LINES = 50;
const TAIL_BYTES = 8 * 1024;

// Docker sends the digest of a push as data too; podman has nothing but this text, and knows the image by another
// digest itself, as the layers are compressed on their way.
const PUSHED = /digest: (sha256:[0-9a-f]{64})/;

const Event = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progress: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.object({ message: z.string().optional() }).optional(),
  aux: z.object({ Digest: z.string().optional() }).optional(),
});

interface Progress {
  /** Completes "could not ...". */
  doing: string;
  /** A failure that the stream reports. */
  reason: Reason;
  log?: LogSink;
}

/**
 * Follows a build, push or pull to its end. These calls answer 200 at once; a failure is an event in the stream.
 * @returns the digest that a push reports
 */
export async function followProgress(
  stream: AsyncIterable<Buffer>,
  { doing, reason, log }: Progress,
): Promise<{ digest?: string }> {
  const tail: string[] = [];
  const say = (line: string): void => {
    log?.(line);
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
  };
  let digest: string | undefined;
  for await (const text of splitLines(stream)) {
    const event = Event.parse(JSON.parse(text));
    digest = event.aux?.Digest ?? PUSHED.exec(event.status ?? '')?.[1] ?? digest;
    // Bars of progress are for a terminal.
    if (event.status && !event.progress) say(event.id ? `${event.id}: ${event.status}` : event.status);
    for (const line of (event.stream ?? '').split('\n')) if (line.trim()) say(line);
    const failure = event.errorDetail?.message ?? event.error;
    if (failure !== undefined) {
      const message = failure.trim();
      log?.(message);
      const logTail = [...tail, message].join('\n').slice(-TAIL_BYTES);
      throw engineFailed(doing, message, { reason, logTail });
    }
  }
  return { digest };
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line.trim());
  }
  if (rest.trim()) yield rest;
}
