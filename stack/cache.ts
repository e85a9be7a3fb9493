import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { removeTree } from './remove-tree.js';

interface Options {
  signal: AbortSignal;
  /** Called once when another process is already at it. */
  onWait: () => void;
  /** Milliseconds after which the lock of a killed builder counts for nothing. */
  staleMs?: number;
}

const PARTIAL = '.partial-';

/**
 * Makes the folder `path` once for all checkouts of this user: `build` fills a temporary neighbour, which is renamed
 * when it is whole, so a half-made entry is never seen. One builder at a time; a killed builder's lock goes stale
 * after 20 s.
 * @returns whether this call built it
 */
export async function ensureBuilt(
  path: string,
  build: (folder: string) => Promise<void>,
  options: Options,
): Promise<boolean> {
  if (await exists(path)) return false;
  const release = await acquire(path, options);
  try {
    if (await exists(path)) return false;
    await removeLeftovers(path);
    const folder = `${path}${PARTIAL}${process.pid}`;
    try {
      await mkdir(folder);
      await build(folder);
      await rename(folder, path);
    } finally {
      await removeTree(folder);
    }
    return true;
  } finally {
    await release();
  }
}

/** Takes the lock `<path>.lock`, waiting as long as its holder lives; resolves to the release. */
export async function acquire(
  path: string,
  { signal, onWait, staleMs = 20_000 }: Options,
): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  for (let waited = false; ;) {
    signal.throwIfAborted();
    try {
      // Compromised means that this machine slept past the limit; builders write to their own names even then.
      return await lock(path, { realpath: false, stale: staleMs, onCompromised: () => undefined });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
    }
    if (!waited) onWait();
    waited = true;
    await sleep(200);
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Removes what killed builders left; called under the lock, so no process is still writing there. */
async function removeLeftovers(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const leftovers = names.filter((name) => name.startsWith(basename(path) + PARTIAL));
  await Promise.all(leftovers.map((name) => removeTree(join(dirname(path), name))));
}
