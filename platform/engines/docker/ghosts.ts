import type { EngineContext } from './context.js';
import { call } from './errors.js';

/** Podman's text on a container whose storage is gone, as after a kill in the middle of its removal. */
const GHOST = /getting container from store "(\w+)": container not known/;
const MOST_GHOSTS = 100;

/**
 * Runs a call that fails as long as a container without storage is there: removes that container by its id and runs the
 * call again. One of them fails every list of containers, and nothing else removes it.
 */
export async function callWithoutGhosts<T>(
  { docker, warn }: EngineContext,
  doing: string,
  run: () => Promise<T>,
  options: { fine?: readonly number[] } = {},
): Promise<T | undefined> {
  for (let removed = 0; ; removed += 1) {
    try {
      return await call(doing, run, options);
    } catch (err) {
      const id = GHOST.exec(err instanceof Error ? err.message : '')?.[1];
      if (id === undefined || removed === MOST_GHOSTS) throw err;
      warn(`container "${id}" has lost its storage and is removed`);
      const remove = () => docker.getContainer(id).remove({ force: true, v: true });
      await call(`remove container "${id}"`, remove, { fine: [404, 409] });
    }
  }
}
