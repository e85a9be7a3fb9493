/** Runs pieces of work of one key one after another, whatever becomes of the earlier ones. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const leave = (): void => void (last.get(key) === mine && last.delete(key));
    mine.then(leave, leave);
    return mine;
  };
}
