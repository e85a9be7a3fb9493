import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import tar, { type Pack } from 'tar-stream';

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
 * A folder as a canonical tar: sorted, no times, no owner's name. Equal content gives equal bytes. It opens with an
 * entry for the folder itself, so that unpacking it onto a volume also changes the volume's owner.
 */
export function tarFolder(folder: string, { uid = 0, prefix = '.' }: PackOptions = {}): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    const pack = tar.pack();
    const added = addEntries(pack, folder, prefix, uid).then(
      () => pack.finalize(),
      (err: unknown) => void pack.destroy(err as Error),
    );
    try {
      yield* pack as AsyncIterable<Buffer>;
    } finally {
      pack.destroy(); // whoever reads may stop early
      await added;
    }
  }
  return Readable.from(chunks(), { objectMode: false });
}

/** Packs a folder as a gzip'd tar, see `tarFolder`: equal content gives an equal digest. */
export async function packFolder(folder: string, file: string, options: PackOptions = {}): Promise<Packed> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(tarFolder(folder, options), createGzip(), measure, createWriteStream(file));
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
