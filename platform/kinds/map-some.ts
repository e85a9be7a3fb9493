/** Maps in order, with a bounded number of calls under way; after a failure, it throws when no call is under way. */
export async function mapSome<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await map(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, work));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return results;
}
