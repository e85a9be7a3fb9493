/** The result of an action, counted by kind; undefined when there was nothing to do. */
export type Done = Record<string, number> | undefined;

/** One item of a loop over many, such as a resource, a container or a subscription. */
export interface LoopItem {
  name: string;
  act: () => Promise<Done>;
}

/**
 * Yields an item that removes a limited number at a time, again and again until it removes nothing. One that fails does
 * not come again.
 * @param remove returns how many it removed
 */
export function* untilNothingLeft(name: string, counted: string, remove: () => Promise<number>): Generator<LoopItem> {
  const left = { isMore: true };
  const act = async (): Promise<Done> => {
    const removed = await remove();
    left.isMore = removed > 0;
    return removed === 0 ? undefined : { [counted]: removed };
  };
  while (left.isMore) {
    left.isMore = false;
    yield { name, act };
  }
}

/** Acts on each item apart: one that fails is reported and skipped. @throws when the items cannot be read */
export async function actOnEach(
  items: AsyncIterable<LoopItem> | Iterable<LoopItem>,
  onSkipped: (name: string, err: unknown) => void,
): Promise<void> {
  for await (const { name, act } of items) await act().catch((err: unknown) => onSkipped(name, err));
}
