export type PausedMemory = ReturnType<typeof createPausedMemory>;

/** The memory that the paused replicas of this process hold, in the order of their pauses, and its limit. */
export function createPausedMemory(limitBytes = Infinity) {
  const held = new Map<string, number>();
  return {
    add(replica: string, bytes: number): void {
      held.delete(replica);
      held.set(replica, bytes);
    },

    remove: (replica: string): void => void held.delete(replica),

    /** Whether a replica is one of the oldest, which must stop so that the others keep within the limit. */
    isBeyond(replica: string): boolean {
      let total = [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
      for (const [name, bytes] of held) {
        if (total <= limitBytes) return false;
        if (name === replica) return true;
        total -= bytes;
      }
      return false;
    },
  };
}
