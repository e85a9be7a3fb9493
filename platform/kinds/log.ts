/** One line with the engine's time stamp (RFC 3339), without its line break. */
export interface LogLine {
  at: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** The position of a reader in a log: the last time stamp it has, and how many lines of that time stamp (podman has whole seconds). */
export interface LogPosition {
  at: string;
  lines: number;
}
