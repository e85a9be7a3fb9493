import { setTimeout as sleep } from 'node:timers/promises';
import type { LogLine } from '../../kinds/log.js';

/** Between two looks. */
const LOOK_MS = 1_000;
const MOST_CHARACTERS = 1_000_000;

/** Takes lines as they come, up to a megabyte, and keeps them until a look allows to pass them on. */
export function takeAhead(lines: AsyncIterator<LogLine>, signal: AbortSignal) {
  let held: LogLine[] = [];
  let characters = 0;
  let lookedAt = -Infinity;
  let next = take();

  function take(): Promise<IteratorResult<LogLine>> {
    const taken = lines.next();
    taken.catch(() => undefined); // the one who waits for it gets the error
    return taken;
  }
  const dueLook = (): Promise<void> => sleep(Math.max(0, lookedAt + LOOK_MS - Date.now()), undefined, { ref: false });

  /** @returns false when there are no more lines */
  async function takeUntil(due: Promise<void> | undefined): Promise<boolean> {
    while (characters < MOST_CHARACTERS) {
      const line = await (due ? Promise.race([next, due]) : next);
      if (!line) return true;
      if (line.done) return false;
      held.push(line.value);
      characters += line.value.text.length;
      next = take();
      due ??= dueLook();
    }
    return true;
  }

  return {
    /**
     * Takes lines until a look is due: at once after a quiet second, otherwise a second after the last one, or earlier
     * when there is no more room.
     * @returns false when there are no more lines
     */
    async fill(): Promise<boolean> {
      const due = held.length > 0 ? dueLook() : undefined;
      if (characters >= MOST_CHARACTERS) await due;
      signal.throwIfAborted();
      const hasMore = await takeUntil(due);
      lookedAt = Date.now();
      return hasMore;
    },

    /** The lines that were taken; there is room again. */
    empty(): LogLine[] {
      const all = held;
      held = [];
      characters = 0;
      return all;
    },

    /** The lines that were taken, and all that are still to come. */
    async *rest(): AsyncGenerator<LogLine> {
      yield* held;
      for (let line = await next; !line.done; line = await next) {
        next = take();
        yield line.value;
      }
    },
  };
}
