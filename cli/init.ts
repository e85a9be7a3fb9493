import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';

const PROJECT = new URL('init-project/', import.meta.url);

/** `slipway init`: a project that trains, with the manifest of its training. */
export function initCommand({ terminal }: CliContext): Command {
  return new Command('init')
    .description('write a model project that trains, with its manifest')
    .argument('[folder]', 'a folder of a git repository; it is made if it does not exist', '.')
    .option('--id <id>', 'id of the training, by default the name of the folder')
    .addHelpText('after', '\nExample:\n  slipway init wine && git add wine && git commit -m "a model project"')
    .action(async (given: string, { id: named }: { id?: string }) => {
      await mkdir(given, { recursive: true });
      const folder = await realpath(given);
      const id = named ?? toId(basename(folder));
      const names = (await readdir(PROJECT)).sort();
      const values = { ID: id, ...(await placeOf(folder)) };
      const texts = await Promise.all(names.map((name) => readFile(new URL(name, PROJECT), 'utf8')));
      const files = names.map((name, at) => [join(folder, name), filledIn(texts[at] ?? '', values)] as const);
      await refuseExisting(folder, names);
      for (const [path, text] of files) await writeFile(path, text, { flag: 'wx' });
      for (const [path] of files) terminal.out(relative(process.cwd(), path));
      terminal.note(`commit the files, then train with "slipway apply -f ${join(given, 'slipway.yaml')} --wait"`);
    });
}

/** @throws validation_failed */
function toId(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 50);
  if (id !== '') return id;
  throw new SlipwayError('validation_failed', `the folder "${name}" gives no id: use --id`);
}

/** The address of the repository, by its remote or its folder, and the place of the project in it. */
async function placeOf(folder: string): Promise<{ URI: string; FOLDER: string }> {
  const git = async (...args: string[]): Promise<string | undefined> => {
    const found = await promisify(execFile)('git', ['-C', folder, ...args]).catch(() => undefined);
    return found?.stdout.trim() || undefined;
  };
  const root = await git('rev-parse', '--show-toplevel');
  const remote = await git('remote', 'get-url', 'origin');
  const workDir =
    relative(root ?? folder, folder)
      .split(sep)
      .join('/') || './';
  const uri = remote === undefined ? resolve(root ?? folder) : withoutSecret(remote);
  // As YAML text, whatever characters they have.
  return { URI: JSON.stringify(uri), FOLDER: JSON.stringify(workDir) };
}

/** A remote may hold a token, which belongs to the connection's secrets. */
const withoutSecret = (remote: string): string => remote.replace(/^(https?:\/\/)[^/@]*@/, '$1');

const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/PROJECT_(ID|URI|FOLDER)/g, (whole, name: string) => values[name] ?? whole);

/** @throws validation_failed, before anything is written */
async function refuseExisting(folder: string, names: readonly string[]): Promise<void> {
  const existing = (await readdir(folder)).filter((name) => names.includes(name));
  if (existing.length === 0) return;
  throw new SlipwayError('validation_failed', `${folder} has ${existing.join(', ')} already: use another folder`);
}
