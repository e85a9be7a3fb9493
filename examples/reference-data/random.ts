/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The random draws that row generators use. */
export function createDraw(seed: number) {
  const random = createRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  /** @param list holds something */
  function pick<T>(list: readonly T[]): T {
    return list[below(list.length)] as T; // the index is below the length
  }
  return { random, below, pick };
}
