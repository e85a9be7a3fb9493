import { expected } from './oracle.js';
import { played, type Random, type Trace, traceOf } from './traces.js';

export interface Difference {
  number: number;
  trace: Trace;
  told: string[];
  wanted: string[];
}

/** Plays random traces. @returns how many notices they were about, and the first trace that was told otherwise */
export function compareTraces(random: Random, traces: number, options: { restarts?: boolean } = {}) {
  let notices = 0;
  for (let number = 1; number <= traces; number += 1) {
    const trace = traceOf(random);
    // Of one time, the order is nobody's promise.
    const [wanted, told] = [expected(trace).sort(), played(trace, options).sort()];
    notices += wanted.length;
    if (wanted.join() !== told.join()) {
      return { notices, difference: { number, trace, told, wanted } satisfies Difference };
    }
  }
  return { notices, difference: undefined };
}
