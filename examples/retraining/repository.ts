import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const PROJECT = fileURLToPath(new URL('model', import.meta.url));

/** A local git repository that holds the model's project in one commit. */
export async function createRepository(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(PROJECT, `${folder}/model`, { recursive: true });
  const git = (...args: string[]) => execa('git', args, { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=example', '-c', 'user.email=example@example.org', 'commit', '--quiet', '-m', 'wine model');
}
