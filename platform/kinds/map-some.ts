/** Maps in order, with a bounded number of calls under way. */
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
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
