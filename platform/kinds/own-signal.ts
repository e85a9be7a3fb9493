/**
 * Runs `work` with a signal of its own, which aborts with `parent` or after `limitMs`, and removes it from `parent` at the
 * end. `AbortSignal.any` of Node.js 20 keeps some bytes in a long-lived parent for each signal that was made of it, and
 * forgets an `AbortSignal.timeout` that nothing else holds: then it never aborts.
 */
export async function withOwnSignal<T>(
  { parent, limitMs }: { parent: AbortSignal | undefined; limitMs: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const abort = () => own.abort(parent?.reason);
  if (parent?.aborted) abort();
  parent?.addEventListener('abort', abort);
  const limit = setTimeout(() => own.abort(new DOMException(`no end within ${limitMs} ms`, 'TimeoutError')), limitMs);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(limit);
    parent?.removeEventListener('abort', abort);
  }
}
