/** For how long images are kept. */
export interface KeptTimes {
  /** Days after its last use that an image is kept. */
  days: number;
  /** Most images that one place keeps; those that runs may still need stay all the same. */
  most: number;
  /** The longest time of a run: what was used in it stays. */
  runSeconds: number;
  now: () => Date;
}

export interface ImageUse {
  name: string;
  /** The time of the last use; RFC 3339. */
  at: string;
}

const DAY_MS = 86_400_000;

/** The images of one place that may go, by their last uses: the one that was used longest ago comes first. */
export function dueImages(uses: readonly ImageUse[], { days, most, runSeconds, now }: KeptTimes): ImageUse[] {
  const before = (ms: number) => new Date(now().getTime() - ms).toISOString();
  const [old, free] = [before(days * DAY_MS), before(Math.max(DAY_MS, runSeconds * 2_000))];
  const latest = uses.toSorted((one, other) => (one.at < other.at ? 1 : -1));
  return latest.filter(({ at }, index) => at < free && (at < old || index >= most)).toReversed();
}
