import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { NewLayer } from '../../platform/registry/assemble.js';
import { CONTAINER_UID, tarFolder } from './archive.js';

interface LayerOfFolder {
  folder: string;
  /** Where the folder is in the image, without a slash at either end: `opt/env`. */
  path: string;
  /** The compressed layer; read as long as it is uploaded. */
  file: string;
  createdBy: string;
  signal: AbortSignal;
}

/** Fixed, since another level gives another digest. */
const GZIP = { level: 6 } as const;

/** Packs a folder as a layer of an image: sorted, no times, one owner. Equal content gives an equal digest. */
export async function packLayer({ folder, path, file, createdBy, signal }: LayerOfFolder): Promise<NewLayer> {
  const [plain, packed] = [createHash('sha256'), createHash('sha256')];
  let size = 0;
  const count = (bytes: number): void => void (size += bytes);
  await pipeline(
    tarFolder(folder, { uid: CONTAINER_UID, prefix: path }),
    tap(plain),
    createGzip(GZIP),
    tap(packed, count),
    createWriteStream(file),
    { signal },
  );
  return {
    ...{ diffId: `sha256:${plain.digest('hex')}`, digest: `sha256:${packed.digest('hex')}`, size },
    ...{ createdBy, open: (start) => createReadStream(file, { start }) },
  };
}

function tap(hash: Hash, count: (bytes: number) => void = () => undefined): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      count(chunk.length);
      done(null, chunk);
    },
  });
}
