import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { readAtMost } from './read-at-most.js';
import { isSystemError } from './system-errors.js';
import { hostile, type UnpackedFolder, type UnpackLimits } from './unpacked-folder.js';

const FILE_TYPE = 0o170_000;
const REGULAR = 0o100_000;
const FOLDER = 0o040_000;
const LINK = 0o120_000;
const LONGEST_LINK = 4_096;

const openZip = promisify<string, yauzl.Options, ZipFile>(yauzl.open);

/** Unpacks a zip under the same rules as a tar. @throws validation_failed */
export async function unzip(file: string, unpacked: UnpackedFolder, limits: UnpackLimits): Promise<void> {
  const packedBytes = (await stat(file)).size;
  // Names are judged by `unpacked`; sizes are checked by the library while it reads.
  const zip = await openZip(file, { lazyEntries: true, autoClose: false, strictFileNames: true }).catch(refuse);
  try {
    let bytes = 0;
    for await (const entry of entriesOf(zip)) {
      bytes += entry.uncompressedSize;
      if (bytes > limits.freeBytes && bytes > limits.ratio * packedBytes)
        throw hostile(`it unpacks to more than ${limits.ratio} times its size`);
      await addEntry(zip, entry, unpacked);
    }
  } finally {
    zip.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      zip.once('entry', resolve).once('end', () => resolve(undefined));
      zip.once('error', reject);
      zip.readEntry();
    })
      .catch(refuse)
      .finally(() => zip.removeAllListeners());
    if (entry === undefined) return;
    yield entry;
  }
}

async function addEntry(zip: ZipFile, entry: Entry, unpacked: UnpackedFolder): Promise<void> {
  const { fileName: name, uncompressedSize: sizeBytes } = entry;
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & FILE_TYPE;
  if (name.endsWith('/')) return unpacked.folder(name);
  if (type === LINK) {
    const target = await readAtMost(await contentOf(zip, entry), LONGEST_LINK).catch(refuse);
    if (target === undefined) throw hostile(`the link "${name}" is too long`);
    return unpacked.link(name, target);
  }
  // Zips of other systems carry no type.
  if (type !== REGULAR && type !== 0)
    throw hostile(`"${name}" is ${type === FOLDER ? 'a folder without a slash' : 'no plain file'}`);
  await unpacked.file(name, { mode, sizeBytes }, await contentOf(zip, entry)).catch(refuse);
}

function contentOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return promisify<Entry, Readable>(zip.openReadStream.bind(zip))(entry).catch(refuse);
}

/** Errors of the zip library are permanent; errors of the disk are not. */
function refuse(err: unknown): never {
  if (isSystemError(err)) throw err;
  throw err instanceof SlipwayError ? err : hostile(err instanceof Error ? err.message : String(err), err);
}
