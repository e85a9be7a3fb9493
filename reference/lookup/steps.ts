/** Runs a generator of steps to its end. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export interface Pace {
  /** Defers a slice; the default lets all waiting events go first. */
  defer?: (slice: () => void) => void;
  now?: () => number;
  /** Longest slice, as far as single steps allow. */
  sliceMs?: number;
}

export const DEFAULT_PACE = {
  defer: (slice: () => void): void => void setImmediate(slice),
  now: (): number => performance.now(),
  sliceMs: 2,
};

/** Runs a generator to its end in slices, yielding to the event loop in between. */
export async function finishInSlices<T>(steps: Generator<void, T>, pace: Pace = {}): Promise<T> {
  const { defer, now, sliceMs } = { ...DEFAULT_PACE, ...pace };
  for (;;) {
    const end = now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (now() < end);
    await new Promise<void>(defer);
  }
}
