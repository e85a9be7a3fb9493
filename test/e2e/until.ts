import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until there is something. @throws past the deadline, saying what was waited for */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  { seconds = 240, pollMs = 200 } = {},
): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain for ${what}`);
    await sleep(pollMs);
  }
}
