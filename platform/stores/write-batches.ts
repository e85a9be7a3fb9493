import { isUnavailable } from './insert-once.js';

export interface WriteBatchOptions<Item, Result> {
  /** Processes many items at once; returns the results in the same order. */
  flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  most: number;
  sizeOf: (item: Item) => number;
  mostBytes: number;
}

/**
 * Group commit: items that arrive while a flush runs wait and are then flushed together, so that many writers share one
 * round trip. A single item is flushed at once.
 */
export function createWriteBatches<Item, Result>({ flush, most, sizeOf, mostBytes }: WriteBatchOptions<Item, Result>) {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (err: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let running = false;

  function take(): Waiting[] {
    let bytes = 0;
    const cut = waiting.findIndex(({ item }, index) => {
      bytes += sizeOf(item);
      return index > 0 && (index >= most || bytes > mostBytes);
    });
    const taken = cut < 0 ? waiting : waiting.slice(0, cut);
    waiting = cut < 0 ? [] : waiting.slice(cut);
    return taken;
  }

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      const taken = take();
      try {
        const results = await flush(taken.map(({ item }) => item));
        // `flush` returns one result for each item.
        taken.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (err) {
        // The items that came meanwhile would wait as long again for a database that does not answer.
        const failed = isUnavailable(err) ? [...taken, ...waiting.splice(0)] : taken;
        for (const { reject } of failed) reject(err);
      }
    }
    running = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      void run();
    });
}
