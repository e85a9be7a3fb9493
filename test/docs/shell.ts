import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { Block } from './blocks.js';

const MARK = '::block of line ';
/** Ends what a page started in the background, also after a failed command. */
const HEADER = "set -eo pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n";

/** Copies the project into a folder, as a fresh clone has it, with the packages that are installed here. */
export async function cloneProject(folder: string): Promise<void> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate']);
  for (const path of stdout.split('\n')) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(path, join(folder, path)).catch(ignoreRemoved);
  }
  const git = (...args: string[]) => execa('git', args, { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '-m', 'clone');
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
}

/** git lists a file that was removed and not committed yet. */
function ignoreRemoved(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

export interface PageRun {
  exitCode: number | undefined;
  /** Standard output and error, by the line of the block. */
  outputs: ReadonlyMap<number, string>;
  /** All of it, to show after a failure. */
  all: string;
}

/** Runs blocks of commands in one shell, as a reader pastes them; the first command that fails ends it. */
export async function runBlocks(blocks: readonly Block[], options: { folder: string; home: string }): Promise<PageRun> {
  const script = blocks.map(({ line, text }) => `echo '${MARK}${line}'\n${text}`).join('');
  const { exitCode, all } = await execa('bash', ['-c', `${HEADER}${script}`], {
    cwd: options.folder,
    env: { PATH: process.env.PATH, HOME: options.home, LANG: 'C.UTF-8', NO_UPDATE_NOTIFIER: '1' },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 1_500_000,
  });
  const parts = all.split(MARK).slice(1);
  const outputs = new Map(parts.map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]));
  return { exitCode, outputs, all };
}
