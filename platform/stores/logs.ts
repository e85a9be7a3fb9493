import type { LogLine, LogPosition } from '../kinds/log.js';

/** How a log ended. */
export interface LogEnd {
  exitCode?: number;
  /** The last 50 lines, at most 8 KiB. */
  tail: string;
}

/**
 * Logs as numbered chunks in object storage (guide serving, section 2). A chunk carries the engine's position in its
 * metadata, so a new writer goes on exactly where the last one stopped.
 */
export interface LogStore {
  /** Opens a log for writing, after the part that earlier writers stored; one that has ended takes no more. */
  writer(prefix: string): Promise<LogWriter>;
  /**
   * Text of the log: what exists now, or with `follow` until its end. Lines keep their line break.
   * With `follow`, waits for a log that has not begun yet.
   */
  read(prefix: string, options: { follow: boolean; signal?: AbortSignal }): AsyncIterable<string>;
  exists(prefix: string): Promise<boolean>;
  end(prefix: string): Promise<LogEnd | undefined>;
  remove(prefix: string): Promise<void>;
}

export interface LogWriter {
  /** Where the engine must be asked to go on: within the current step, so read it after `step`. */
  readonly position: LogPosition | undefined;
  /**
   * A line of ours, `INFO === train`, after one that ends the step before; not doubled when an earlier attempt wrote the same step. Steps come in one
   * order and each has a source of its own (one container). Lines of a step that an earlier attempt left behind are dropped.
   */
  step(name: string): Promise<void>;
  append(line: LogLine): Promise<void>;
  /** Stores what is buffered; called by `append` at 256 KiB or 2 s. */
  flush(): Promise<void>;
  /** The last 50 lines, at most 8 KiB, of what has been stored so far. */
  tail(): Promise<string>;
  /** Ends the last step, with one sentence when it is where the run gave up, and the log. */
  finish(end?: { exitCode?: number; failure?: string }): Promise<LogEnd>;
}
