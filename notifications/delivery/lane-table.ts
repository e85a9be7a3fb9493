/** Entries by lane; the first entry of a lane is its head, and the only one whose turn it is. */
export function createLaneTable<E extends { readonly lane: string }>() {
  const lanes = new Map<string, E[]>();

  return {
    add(entry: E): void {
      const lane = lanes.get(entry.lane);
      if (lane === undefined) lanes.set(entry.lane, [entry]);
      else lane.push(entry);
    },
    isHead: (entry: E): boolean => lanes.get(entry.lane)?.[0] === entry,
    /** @returns the new head of the lane, when the entry was its head and another one follows */
    leave(entry: E): E | undefined {
      const lane = lanes.get(entry.lane);
      if (lane === undefined) return undefined;
      const at = lane.indexOf(entry);
      if (at >= 0) lane.splice(at, 1);
      if (lane.length === 0) lanes.delete(entry.lane);
      return at === 0 ? lane[0] : undefined;
    },
    get size(): number {
      return lanes.size;
    },
  };
}
