/**
 * Lets all calls that wait share one read: reads of everything then cost the same whatever their number. One that has begun
 * may lack what was written since, so a call gets the next one.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let ended: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;

  function begin(): Promise<T> {
    next = undefined;
    const reading = read();
    ended = reading.catch(() => undefined);
    return reading;
  }
  return () => (next ??= ended.then(begin));
}
