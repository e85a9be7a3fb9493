import type { JobKind, RunKind, RunRef } from './ids.js';

/** A stored resource, as far as its run is started from it; `createdBy` owns the run. */
export type OwnedRef = RunRef & { createdBy?: string };

/**
 * How a stored resource gets its run. Neither call throws when Temporal does not answer: the document is the truth, and
 * the sweep repeats what did not arrive.
 */
export interface Runs {
  /** Starts the run of this generation, or tells the open run of the id about it. */
  changed(kind: RunKind, resource: OwnedRef): Promise<void>;
  /** Asks the open run of this generation to cancel; a run of another one goes on. */
  cancel(kind: JobKind, ref: RunRef): Promise<void>;
}
