import type { LogLine, LogPosition } from '../../kinds/log.js';
import { takeAhead } from './lines-ahead.js';
import { positionAfter } from './log-lines.js';

/** `ending` also while it is paused: it has not ended, and lines may be left out already. */
export type ContainerLook = 'running' | 'ending' | 'ended';

export interface Following {
  /** Where the followed lines begin. */
  from: LogPosition | undefined;
  look: () => Promise<ContainerLook>;
  /** All lines from a position on, of a container that has ended; none when it was removed. */
  readOn: (from: LogPosition | undefined) => AsyncIterable<LogLine>;
  signal: AbortSignal;
}

/**
 * Follows a log to the end of its container, without a gap. When a container ends, podman before 5.2 leaves out lines
 * that its client has not taken yet, and may go on with later ones (https://github.com/containers/podman/issues/21914).
 * So followed lines are passed on only after a look that began later saw the container run; the lines after them are
 * read at the end, when the engine has them all.
 */
export async function* certainLines(
  followed: AsyncIterator<LogLine>,
  { from, look, readOn, signal }: Following,
): AsyncGenerator<LogLine> {
  const ahead = takeAhead(followed, signal);
  let position = from;
  while (await ahead.fill()) {
    const seen = await look();
    if (seen === 'ended') break;
    if (seen === 'ending') continue;
    for (const line of ahead.empty()) {
      position = positionAfter(line, position);
      yield line;
    }
  }
  let isThere = false;
  for await (const line of readOn(position)) {
    isThere = true;
    yield line;
  }
  if (!isThere) yield* ahead.rest();
}
