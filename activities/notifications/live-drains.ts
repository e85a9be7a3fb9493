/** The drains that run in this process, which share the slots of its worker. */
export interface LiveDrains {
  has(subscription: string): boolean;
  /** @returns ends it */
  enter(subscription: string): () => void;
  /** Whether others may be waiting for a slot, so that a drain takes turns with them. */
  isCrowded: () => boolean;
}

/** Share of the slots from which on drains take turns: the rest is for those that come meanwhile. */
const CROWDED = 0.8;

export function createLiveDrains(slots: number): LiveDrains {
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
    isCrowded: () => size >= slots * CROWDED,
  };
}
