import TinyQueue from 'tinyqueue';

/** When an entry may go on, in milliseconds since 1970. */
export interface Turn<E> {
  entry: E;
  at: number;
}

export interface TurnQueueOptions<E> {
  order: (one: Turn<E>, other: Turn<E>) => number;
  /** Whether the entry still has this turn. */
  isCurrent: (turn: Turn<E>) => boolean;
}

/** Turns in order. An entry that changed is queued again; its old turn is skipped. */
export function createTurnQueue<E>({ order, isCurrent }: TurnQueueOptions<E>) {
  const turns = new TinyQueue<Turn<E>>([], order);

  return {
    push(turn: Turn<E>): void {
      turns.push(turn);
    },
    /** The first turn that is current; `pop` removes it. */
    top(): Turn<E> | undefined {
      for (let top = turns.peek(); top !== undefined; top = turns.peek()) {
        if (isCurrent(top)) return top;
        turns.pop();
      }
      return undefined;
    },
    pop(): void {
      turns.pop();
    },
  };
}
