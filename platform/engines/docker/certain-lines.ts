import { setTimeout as sleep } from 'node:timers/promises';
import type { LogLine } from '../../kinds/log.js';

const LOOK_MS = 1_000;
const MOST_HELD_CHARACTERS = 1_000_000;

/** `ending` also while it is paused: it has not ended, and lines may be left out already. */
export type ContainerLook = 'running' | 'ending' | 'ended';

/**
 * The lines of a followed log up to the last that is certain to have none missing before it. When a container ends,
 * podman before 5.2 leaves out lines that its client has not taken yet, and may go on with later ones
 * (https://github.com/containers/podman/issues/21914). So lines are passed on only after a look that began later saw
 * the container run: at once after a quiet second, otherwise once in a second or for each megabyte.
 * @param held the lines that wait for a look; at the end those that are not certain
 * @param signal ends the wait for a container that is ending
 */
export async function* certainLines(
  lines: AsyncIterator<LogLine>,
  { held, look, signal }: { held: LogLine[]; look: () => Promise<ContainerLook>; signal: AbortSignal },
): AsyncGenerator<LogLine> {
  const take = () => {
    const taken = lines.next();
    taken.catch(() => undefined); // whoever waits for it gets the error
    return taken;
  };
  let next = take();
  let looked = -Infinity;
  for (;;) {
    let due: Promise<void> | undefined;
    for (let characters = 0; characters < MOST_HELD_CHARACTERS;) {
      const line = await (due ? Promise.race([next, due]) : next);
      if (!line) break;
      if (line.done) return;
      held.push(line.value);
      characters += line.value.text.length;
      next = take();
      due ??= sleep(Math.max(0, looked + LOOK_MS - Date.now()), undefined, { ref: false });
    }
    let seen: ContainerLook;
    while ((seen = await look()) === 'ending') await sleep(LOOK_MS, undefined, { signal });
    if (seen === 'ended') return;
    looked = Date.now();
    yield* held.splice(0);
  }
}
