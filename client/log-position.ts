/** Lines of replicas come mixed, each behind `[replica] `: only among those of one replica the order is always the same. */
const labelOf = (line: string): string => /^\[[^\]]*\] /.exec(line)?.[0] ?? '';

/** How far a reader has come in a log that is read from its beginning again and again. */
export function createLogPosition() {
  const given = new Map<string, number>();
  const seen = new Map<string, number>();

  return {
    /** The log is read from its beginning. */
    rewind: () => seen.clear(),
    /** Another log begins. */
    restart(): void {
      given.clear();
      seen.clear();
    },
    /** Whether the next line of this reading was in none before. */
    isNew(line: string): boolean {
      const label = labelOf(line);
      const count = (seen.get(label) ?? 0) + 1;
      seen.set(label, count);
      if (count <= (given.get(label) ?? 0)) return false;
      given.set(label, count);
      return true;
    },
    /** Leaves out all of these lines but the last ones of each replica. */
    skipAllBut(tail: number, lines: readonly string[]): void {
      for (const line of lines) {
        const label = labelOf(line);
        given.set(label, (given.get(label) ?? 0) + 1);
      }
      for (const [label, count] of given) given.set(label, Math.max(0, count - tail));
    },
  };
}
export type LogPosition = ReturnType<typeof createLogPosition>;
