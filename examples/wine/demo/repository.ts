import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** A local git repository that holds the example project in one commit. @returns the commit */
export async function createRepository(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const isProject = (path: string): boolean => !path.includes('demo');
  await cp(PROJECT, `${folder}/wine`, { recursive: true, filter: (path) => isProject(path.slice(PROJECT.length)) });
  const author = ['-c', 'user.name=Slipway demo', '-c', 'user.email=demo@example.org'];
  await execa('git', ['init', '--quiet', '--initial-branch=main'], { cwd: folder });
  await execa('git', ['add', '.'], { cwd: folder });
  await execa('git', [...author, 'commit', '--quiet', '-m', 'wine quality model'], { cwd: folder });
  return (await execa('git', ['rev-parse', 'HEAD'], { cwd: folder })).stdout;
}
