import type { RunKind, RunRef } from './ids.js';

/**
 * How a stored entity gets its run. Neither call throws when Temporal does not answer: the document is the truth, and
 * the sweep repeats what did not arrive.
 */
export interface Runs {
  /** Starts the run of this generation, or tells the open run of the id about it. */
  changed(kind: RunKind, ref: RunRef): Promise<void>;
  /** Asks the open run of the id to cancel. */
  cancel(kind: RunKind, ref: RunRef): Promise<void>;
}
