import { REFRESH_MS } from '../../notifications/kinds/subscription.js';

/** The drains that run in this process, which share its processor and its database. */
export interface LiveDrains {
  has(subscription: string): boolean;
  /** @returns ends it */
  enter(subscription: string): () => void;
  /** Whether there are so many that a drain without work ends soon. */
  isCrowded: () => boolean;
  /** Whether no place is free, so that a drain with much work takes turns with others. */
  isFull: () => boolean;
  /** How often a drain that starts nothing looks for changes by other processes and saves its progress. */
  refreshMs: () => number;
}

/** Drains that look around each second; more of them look less often, so that waiting for receivers that hang costs little. */
const MOST_EACH_SECOND = 40;

/** @param places drains that the worker runs at once */
export function createLiveDrains(places: number, most = MOST_EACH_SECOND): LiveDrains {
  const live = new Map<string, number>();
  let size = 0;
  return {
    has: (subscription) => live.has(subscription),
    enter(subscription) {
      // Two tries of one drain may overlap when the server took the first for dead.
      live.set(subscription, (live.get(subscription) ?? 0) + 1);
      size += 1;
      return () => {
        const others = (live.get(subscription) ?? 1) - 1;
        if (others > 0) live.set(subscription, others);
        else live.delete(subscription);
        size -= 1;
      };
    },
    isCrowded: () => size >= most,
    isFull: () => size >= places,
    refreshMs: () => REFRESH_MS * Math.max(1, size / most),
  };
}
