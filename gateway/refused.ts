import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder of a spool that holds what storage refused for good: each file under its name, and where it belongs beside it. */
const folder = (spoolDir: string): string => join(spoolDir, 'refused');
const ABOUT = '.about.json';

interface Refused {
  /** The same for the same part of the spool: a repeat writes the same file. */
  name: string;
  body: Buffer;
  /** The facts that an operator needs to store it after all: key, content type, metadata. */
  about: object;
}

/** Puts a file aside, safe from a loss of power. @returns its path */
export async function putAside(spoolDir: string, { name, body, about }: Refused): Promise<string> {
  const dir = folder(spoolDir);
  await mkdir(dir, { recursive: true });
  await write(join(dir, name), body);
  await write(join(dir, `${name}${ABOUT}`), JSON.stringify(about));
  const handle = await open(dir);
  await handle.sync().finally(() => handle.close());
  return join(dir, name);
}

/** How many files wait for an operator. */
export async function countRefused(spoolDir: string): Promise<number> {
  const files = await readdir(folder(spoolDir)).catch(() => []);
  return files.filter((name) => name.endsWith(ABOUT)).length;
}

async function write(path: string, content: Buffer | string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
