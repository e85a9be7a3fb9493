import { createWriteStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isSystemError } from './system-errors.js';

/** How much an archive may unpack to. */
export interface UnpackLimits {
  entries: number;
  bytes: number;
  /** Unpacked bytes for each packed one; it counts beyond `freeBytes`. */
  ratio: number;
  freeBytes: number;
}
export const UNPACK_LIMITS: UnpackLimits = {
  entries: 100_000,
  bytes: 20 * 2 ** 30,
  ratio: 200,
  freeBytes: 2 ** 30,
};

/** A folder that takes the entries of an untrusted archive. Every name may be hostile. */
export interface UnpackedFolder {
  folder(name: string): Promise<void>;
  file(name: string, facts: { mode: number; sizeBytes: number }, content: AsyncIterable<Buffer>): Promise<void>;
  /** A symbolic link. */
  link(name: string, target: string): Promise<void>;
  /** Another name for a file that came before; it becomes a copy. */
  hardLink(name: string, target: string): Promise<void>;
}

interface Options {
  limits: UnpackLimits;
  /** Leading path parts to drop. */
  strip?: number;
}

/** The rules of unpacking for every format of archive (guide serving, section 3). */
export function createUnpackedFolder(root: string, { limits, strip = 0 }: Options): UnpackedFolder {
  const folders = new Set<string>();
  const others = new Set<string>();
  let bytes = 0;

  /** Adds one entry under the rules. @param write is left out for what `strip` drops */
  async function add(
    rawName: string,
    { isFolder = false, sizeBytes = 0 },
    write: (target: string, name: string) => Promise<unknown>,
  ): Promise<void> {
    const name = innerPath(rawName, strip);
    if (name === '') return;
    if (others.has(name) || (!isFolder && folders.has(name))) throw hostile(`it has a duplicate entry "${name}"`);
    (isFolder ? folders : others).add(name);
    bytes += sizeBytes;
    if (folders.size + others.size > limits.entries) throw hostile(`it holds more than ${limits.entries} entries`);
    if (bytes > limits.bytes) throw hostile(`it unpacks to more than ${limits.bytes} bytes`);
    await refuseLinkedParents(root, name);
    const target = join(root, name);
    try {
      await mkdir(isFolder ? target : dirname(target), { recursive: true });
      await write(target, name);
    } catch (err) {
      throw isImpossibleName(err) ? hostile(`"${name}" cannot stand beside its other entries`, err) : err;
    }
  }

  return {
    folder: (rawName) => add(rawName, { isFolder: true }, async () => undefined),

    file: (rawName, { mode, sizeBytes }, content) =>
      add(rawName, { sizeBytes }, async (target) => {
        await pipeline(content, createWriteStream(target, { flags: 'wx' }));
        await chmod(target, mode & 0o111 ? 0o755 : 0o644);
      }),

    link: (rawName, linkname) =>
      add(rawName, {}, async (target, name) => {
        if (leadsOut(name, linkname)) throw hostile(`the link "${name}" leads out of it`);
        await symlink(linkname, target);
      }),

    hardLink: (rawName, linkname) =>
      add(rawName, {}, async (target, name) => {
        const original = innerPath(linkname, strip);
        await refuseLinkedParents(root, original);
        const facts = await lstat(join(root, original)).catch(() => undefined);
        if (!facts?.isFile()) throw hostile(`"${name}" is a link to no file of it`);
        bytes += facts.size;
        if (bytes > limits.bytes) throw hostile(`it unpacks to more than ${limits.bytes} bytes`);
        await copyFile(join(root, original), target);
      }),
  };
}

export function hostile(why: string, cause?: unknown): SlipwayError {
  return new SlipwayError('validation_failed', `the archive is refused: ${why}`, { cause });
}

function innerPath(name: string, strip: number): string {
  if (name.startsWith('/') || name.includes('\0')) throw hostile(`"${name}" is an absolute path`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw hostile(`"${name}" leads out of it`);
  return parts.slice(strip).join('/');
}

/** Parents of a link are real folders, so `..` at its begin is what it seems; after another link it need not be. */
function leadsOut(name: string, linkname: string): boolean {
  if (linkname.startsWith('/') || linkname.includes('\0')) return true;
  const parts = linkname.split('/').filter((part) => part !== '' && part !== '.');
  const down = parts.findIndex((part) => part !== '..');
  if (down >= 0 && parts.slice(down).includes('..')) return true;
  const to = posix.normalize(posix.join(posix.dirname(name), linkname));
  return to === '..' || to.startsWith('../');
}

/** A link among the parents could lead a later entry elsewhere, even a link that itself stays inside. */
async function refuseLinkedParents(root: string, name: string): Promise<void> {
  const parts = name.split('/').slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const parent = await lstat(join(root, ...parts.slice(0, depth))).catch(() => undefined);
    if (parent?.isSymbolicLink()) throw hostile(`"${name}" is below a symbolic link`);
  }
}

/** A file where a folder should be, the same name twice on a file system without case, a name that is too long. */
function isImpossibleName(err: unknown): boolean {
  return isSystemError(err) && ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ', 'EINVAL'].includes(err.code);
}
