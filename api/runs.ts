import type { RunKind, RunRef } from '../resources/ids.js';

/** The workflow side as the routes see it: the document is stored first, then its run is told. */
export interface Runs {
  /** Starts the run of this generation, or tells the open run of the id about it. Does not throw when Temporal is down: the sweep repeats it. */
  changed(kind: RunKind, ref: RunRef): Promise<void>;
  /** Asks the open run of the id to cancel. Does not throw; the sweep repeats it. */
  cancel(kind: RunKind, ref: RunRef): Promise<void>;
}
