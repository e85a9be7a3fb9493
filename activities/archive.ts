import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import tar, { type Extract, type Pack } from 'tar-stream';
import { decompress } from './compression.js';
import { SlipwayError } from '../resources/errors.js';

const MAX_ENTRIES = 100_000;
const MAX_BYTES = 20 * 2 ** 30;

/** User and group that own the files of a workspace inside its container. */
export const CONTAINER_UID = 10_001;

export interface Packed {
  /** SHA-256 (hex) of the compressed archive. */
  digest: string;
  sizeBytes: number;
}

interface PackOptions {
  uid?: number;
  /** Path in the archive under which the folder lies, without a slash at the end. */
  prefix?: string;
}

/**
 * Packs a folder as a canonical gzip'd tar: sorted, no times, no owner's name. Equal content gives an equal digest.
 * It opens with an entry for the folder itself, so that unpacking it onto a volume also changes the volume's owner.
 */
export async function packFolder(
  folder: string,
  file: string,
  { uid = 0, prefix = '.' }: PackOptions = {},
): Promise<Packed> {
  const pack = tar.pack();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  const written = pipeline(pack, createGzip(), measure, createWriteStream(file));
  try {
    await addEntries(pack, folder, prefix, uid);
    pack.finalize();
  } catch (err) {
    pack.destroy(err as Error);
    await written.catch(() => undefined);
    throw err;
  }
  await written;
  return { digest: hash.digest('hex'), sizeBytes };
}

async function addEntries(pack: Pack, path: string, name: string, uid: number): Promise<void> {
  const facts = await lstat(path);
  const common = { uid, gid: uid, mtime: new Date(0), uname: '', gname: '' };
  if (facts.isDirectory()) {
    pack.entry({ ...common, name: `${name}/`, type: 'directory', mode: 0o755 });
    for (const child of (await readdir(path)).sort())
      await addEntries(pack, join(path, child), `${name}/${child}`, uid);
  } else if (facts.isSymbolicLink()) {
    pack.entry({ ...common, name, type: 'symlink', linkname: await readlink(path) });
  } else if (facts.isFile()) {
    const mode = facts.mode & 0o111 ? 0o755 : 0o644;
    const entry = pack.entry({ ...common, name, type: 'file', mode, size: facts.size });
    await pipeline(createReadStream(path), entry);
  }
  // Sockets, pipes and devices have no content that could be published.
}

/**
 * Unpacks a tar, gzip'd tar or zip that nobody vouches for.
 * @param strip leading path parts to drop
 * @throws validation_failed for anything but plain files, folders and inner links, and past 100,000 entries or 20 GiB
 */
export async function unpackInto(
  archive: Readable,
  folder: string,
  { strip = 0 }: { strip?: number } = {},
): Promise<void> {
  const extract = tar.extract();
  const done = pipeline(await decompress(archive), extract);
  // The loop below reports first; this keeps a broken pipe from being an unhandled rejection meanwhile.
  done.catch(() => undefined);
  const seen = new Set<string>();
  let bytes = 0;
  for await (const entry of extract) {
    const name = innerPath(entry.header.name, strip);
    if (name === '') {
      entry.resume();
      continue;
    }
    if (entry.header.type !== 'directory' && seen.has(name)) throw hostile(`"${name}" stands in it twice`);
    seen.add(name);
    bytes += entry.header.size ?? 0;
    if (seen.size > MAX_ENTRIES) throw hostile(`it holds more than ${MAX_ENTRIES} entries`);
    if (bytes > MAX_BYTES) throw hostile(`it unpacks to more than ${MAX_BYTES} bytes`);
    await writeEntry(entry, join(folder, name), name, folder);
  }
  await done;
}

type ArchiveEntry = Extract extends AsyncIterable<infer Entry> ? Entry : never;

async function writeEntry(entry: ArchiveEntry, target: string, name: string, folder: string): Promise<void> {
  const { type, mode = 0o644, linkname } = entry.header;
  await refuseLinkedParents(folder, name);
  if (type === 'directory') {
    await mkdir(target, { recursive: true });
    entry.resume();
  } else if (type === 'file' || type === 'contiguous-file') {
    await mkdir(dirname(target), { recursive: true });
    await pipeline(entry as AsyncIterable<Buffer>, createWriteStream(target, { flags: 'wx' }));
    await chmod(target, mode & 0o111 ? 0o755 : 0o644);
  } else if (type === 'symlink' && linkname) {
    const to = posix.normalize(posix.join(posix.dirname(name), linkname));
    if (linkname.startsWith('/') || to.startsWith('..')) throw hostile(`the link "${name}" leads out of it`);
    await mkdir(dirname(target), { recursive: true });
    await symlink(linkname, target);
    entry.resume();
  } else {
    throw hostile(`"${name}" is a ${type}`);
  }
}

/** A link among the parents could lead a later entry elsewhere, even a link that itself stays inside. */
async function refuseLinkedParents(folder: string, name: string): Promise<void> {
  const parts = name.split('/').slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const parent = await lstat(join(folder, ...parts.slice(0, depth))).catch(() => undefined);
    if (parent?.isSymbolicLink()) throw hostile(`"${name}" lies behind a link`);
  }
}

function innerPath(name: string, strip: number): string {
  if (name.startsWith('/') || name.includes('\0')) throw hostile(`"${name}" is an absolute path`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw hostile(`"${name}" leads out of it`);
  return parts.slice(strip).join('/');
}

function hostile(why: string): SlipwayError {
  return new SlipwayError('validation_failed', `the archive is refused: ${why}`);
}
