import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';

/** Removes a folder with everything below, container file systems that are still mounted there included. */
export async function removeTree(path: string): Promise<void> {
  const root = resolve(path);
  const table = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const below = table
    .split('\n')
    .map((line) => (line.split(' ')[1] ?? '').replaceAll('\\040', ' '))
    .filter((mount) => mount.startsWith(`${root}/`));
  // The last mount may lie on an earlier one.
  for (const mount of below.reverse()) await execa('umount', [mount], { reject: false });
  await rm(root, { recursive: true, force: true });
}
