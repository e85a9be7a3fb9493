/** The result of an action, counted by kind; undefined when there was nothing to do. */
export type Done = Record<string, number> | undefined;

/** One item of a loop over many, such as a resource, a container or a subscription. */
export interface LoopItem {
  name: string;
  act: () => Promise<Done>;
}

/** Acts on each item apart: one that fails is reported and skipped. @throws when the items cannot be read */
export async function actOnEach(
  items: AsyncIterable<LoopItem> | Iterable<LoopItem>,
  onSkipped: (name: string, err: unknown) => void,
): Promise<void> {
  for await (const { name, act } of items) await act().catch((err: unknown) => onSkipped(name, err));
}
