/** The progress of one resource. */
export interface Progress {
  state?: string;
  /** The current step, as its log names it. */
  step?: string;
  /** The thing that it waits for, as a sentence. */
  detail?: string | undefined;
}

/** A display of the progress of resources on standard error. */
export interface Display {
  /** Fields that are left out keep their value. */
  set(name: string, progress: Progress): void;
  /** A line of a log. */
  line(name: string, text: string): void;
  stop(): void;
}
