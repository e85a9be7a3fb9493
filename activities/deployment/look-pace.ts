/** Looks at replicas a second, by all supervisors of a process: each costs two milliseconds of processor time. */
const LOOKS_PER_SECOND = 100;

/** The pace of the supervisors of a process: when there are many, each looks less often, and starts have room. */
export interface LookPace {
  /** @returns sets how many replicas the supervisor looks at; without a number it ends */
  enter: (replicas: number) => (replicas?: number) => void;
  /** Between two looks of a supervisor. */
  pollMs: () => number;
}

export function createLookPace({ leastMs }: { leastMs: number }): LookPace {
  let watched = 0;
  return {
    enter(replicas) {
      let own = replicas;
      watched += own;
      return (next = 0) => {
        watched += next - own;
        own = next;
      };
    },
    pollMs: () => Math.max(leastMs, (watched * 1_000) / LOOKS_PER_SECOND),
  };
}
