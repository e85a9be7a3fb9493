import type { Pipeline } from './pipeline.js';

/** A schedule as the server keeps it. Times are RFC 3339 UTC. */
export interface ScheduleState {
  paused: boolean;
  /** The reason of the pause; `''` when none was given. */
  note: string;
  /** The next times, soonest first. */
  next: string[];
  /** Starts left out because a run was going on. */
  skipped: number;
  /** Starts that came too late to be made up for. */
  missed: number;
}

/**
 * The schedules of pipelines. `reconcile` and `remove` do not throw when Temporal does not answer: the document is the
 * truth, and the sweep repeats what did not arrive.
 */
export interface Schedules {
  /**
   * Returns, in order, the pipelines whose schedule is missing, left over or another than the pipeline says. One read of
   * all schedules, which may be some seconds old: `reconcile` looks again. @throws unavailable
   */
  outdated(pipelines: readonly Pipeline[]): Promise<Pipeline[]>;
  /**
   * Makes the schedule what the pipeline says: there, changed, paused or gone. A pause that a person set or lifted in
   * Temporal's Web UI stays while the pipeline's own setting is unchanged; `enforce`: a caller has just set it.
   * @returns whether anything was written
   */
  reconcile(pipeline: Pipeline, options?: { enforce?: boolean }): Promise<boolean>;
  remove(pipelineId: string): Promise<void>;
  /** `undefined` when there is none yet. @throws unavailable */
  describe(pipeline: Pipeline): Promise<ScheduleState | undefined>;
  /** Starts the scheduled run now, unless one is going on. @throws not_found, unavailable */
  trigger(pipelineId: string): Promise<void>;
}
