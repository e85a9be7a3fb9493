import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../stack/remove-tree.js';

/** Runs `act` in a new folder, which is removed afterwards, whatever happens. */
export async function inScratchFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-stack-'));
  try {
    await act(folder);
  } finally {
    await removeTree(folder);
  }
}

/** Polls until `condition` holds; fails after `timeoutMs`. */
export async function until(condition: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`still not so after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
