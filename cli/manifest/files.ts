import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isMissingFile, messageOf } from '../error-text.js';
import { readAll } from '../login/secret.js';

export interface Source {
  /** As messages name it: a path, or `<stdin>`. */
  name: string;
  text: string;
}

interface FilesOptions {
  paths: readonly string[];
  recursive: boolean;
  stdin: NodeJS.ReadableStream;
}

const EXTENSIONS = ['.yaml', '.yml', '.json'];

/** The manifests that `-f` names: files, folders, `-` for standard input. @throws validation_failed */
export async function readSources({ paths, recursive, stdin }: FilesOptions): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    if (path === '-') sources.push({ name: '<stdin>', text: await readAll(stdin) });
    else for (const file of await listFiles(path, recursive)) sources.push({ name: file, text: await readText(file) });
  }
  return sources;
}

/** The file itself, whatever its name; or the manifests of a folder, by name. */
async function listFiles(path: string, recursive: boolean): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => unreadable(path, cause));
  if (!found.isDirectory()) return [path];
  const files = await listFolder(path, recursive);
  if (files.length > 0) return files;
  const hint = recursive ? '' : ' (folders in it are read with -R)';
  throw new SlipwayError('validation_failed', `${path} has no .yaml, .yml or .json file${hint}`);
}

async function listFolder(folder: string, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(recursive ? await listFolder(path, recursive) : []));
    else if (EXTENSIONS.includes(extname(entry.name).toLowerCase())) files.push(path);
  }
  return files;
}

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => unreadable(file, cause));

function unreadable(path: string, cause: unknown): never {
  const why = isMissingFile(cause) ? 'there is no such file' : messageOf(cause);
  throw new SlipwayError('validation_failed', `${path}: ${why}`, { cause });
}
