import { expected } from './oracle.js';
import { played, type Random, type Trace, traceOf } from './traces.js';

export interface Difference {
  number: number;
  trace: Trace;
  actual: string[];
  wanted: string[];
}

/** Plays random traces. @returns how many notices they were about, and the first trace with a difference */
export function compareTraces(random: Random, traces: number, options: { restarts?: boolean } = {}) {
  let notices = 0;
  for (let number = 1; number <= traces; number += 1) {
    const trace = traceOf(random);
    // The order of events of one time is not guaranteed.
    const [wanted, actual] = [expected(trace).sort(), played(trace, options).sort()];
    notices += wanted.length;
    if (wanted.join() !== actual.join()) {
      return { notices, difference: { number, trace, actual, wanted } satisfies Difference };
    }
  }
  return { notices, difference: undefined };
}
