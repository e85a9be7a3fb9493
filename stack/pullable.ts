import type Docker from 'dockerode';
import { followProgress } from '../platform/engines/docker/progress.js';

/** A network that drops packets would keep us for minutes; one that works says something within this time. */
const SILENCE_MS = 15_000;

/** Pulls a public image; false when the registry cannot be reached or falls silent. */
export async function isPullable(docker: Docker, image: string, signal: AbortSignal): Promise<boolean> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const abortSignal = AbortSignal.any([silence.signal, signal]);
  try {
    const stream = await docker.createImage({ fromImage: image, abortSignal });
    const words = untilAborted(stream as AsyncIterable<Buffer>, abortSignal, () => timer.refresh());
    await followProgress(words, { doing: `pull image "${image}"`, reason: 'ImagePullFailed' });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function* untilAborted(stream: AsyncIterable<Buffer>, signal: AbortSignal, onWord: () => void) {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no word from the registry')), { once: true });
  });
  aborted.catch(() => undefined);
  const words = stream[Symbol.asyncIterator]();
  for (;;) {
    const word = await Promise.race([words.next(), aborted]);
    if (word.done) return;
    onWord();
    yield word.value;
  }
}
