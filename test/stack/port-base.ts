import { findFreePortBase } from '../../stack/ports.js';

const SHARE = 3_000;
/** The faults run beside the other tests, in a process that vitest gives the same number as one of theirs. */
const SHARE_OF_FAULTS = 3;
const used = new Set<number>();

/**
 * Returns the first of ten free ports for a test. Files of tests run in several processes at once, and a port counts as
 * free until a process listens: so each process has a range of its own, and returns no port twice.
 */
export async function findTestPortBase(): Promise<number> {
  const share = process.env.TEST_STACK === 'faults' ? SHARE_OF_FAULTS : Number(process.env.VITEST_POOL_ID ?? 0) % 3;
  const first = 18_000 + SHARE * share;
  for (;;) {
    const base = await findFreePortBase({ first, last: first + SHARE });
    if (!used.has(base)) {
      used.add(base);
      return base;
    }
  }
}
