import { findFreePortBase } from '../../stack/ports.js';

const SHARE = 3_000;
const given = new Set<number>();

/**
 * Ten ports for a test. What is free stays so only until somebody listens, and files of tests run in several processes at
 * once: each of them has a range of its own, and gives no ports twice.
 */
export async function findTestPortBase(): Promise<number> {
  const first = 18_000 + SHARE * (Number(process.env.JEST_WORKER_ID ?? 0) % 4);
  for (;;) {
    const base = await findFreePortBase({ first, last: first + SHARE });
    if (!given.has(base)) {
      given.add(base);
      return base;
    }
  }
}
