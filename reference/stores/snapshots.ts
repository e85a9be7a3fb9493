import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { Replica, ReplicaHead } from '../dataset/replica.js';
import { decodeSnapshot, encodeSnapshot } from '../dataset/snapshot.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

/** A snapshot as described by its name. */
export interface Snapshot {
  name: string;
  /** Position and token of the newest entry in it: a log with another token at that position is another log. */
  position: number;
  token: string;
  /** SHA-256 of its bytes. */
  digest: string;
}

/** Snapshots of datasets: in object storage for every process, and as local files for a fast start. */
export interface Snapshots {
  /** Lists them, newest first: local ones, and those in object storage when it is available. */
  list(dataset: string): Promise<Snapshot[]>;
  /** @throws internal when it is damaged, not_found, unavailable; the replica is unchanged then */
  restore(dataset: string, snapshot: Snapshot, replica: Replica): Promise<void>;
  /**
   * Writes a snapshot of the current state, and removes the oldest beyond the retained number.
   * @param lookup the lookup index of this moment, stored on this machine only: other machines build it from the rows
   * @returns the retained snapshots
   */
  save(dataset: string, replica: Replica, head: ReplicaHead, lookup?: Iterable<Buffer>): Promise<Snapshot[]>;
  /** Reads the lookup index that was saved with it on this machine. */
  lookupOf(dataset: string, snapshot: Snapshot): Promise<Buffer | undefined>;
  /** Removes a useless snapshot from this machine. */
  forget(dataset: string, snapshot: Snapshot): Promise<void>;
}

export interface SnapshotsOptions {
  objects: ObjectStore;
  /** Folder of the files; it must belong to one installation. */
  folder: string;
  /** Number of snapshots retained in object storage. */
  kept?: number;
}

/** The name contains the format version: this code ignores other versions. */
const NAME = /^(\d{12})\.([0-9a-f-]{36})\.([0-9a-f]{64})\.1\.gz$/;
const KEPT_FILES = 2;
const PART_MS = 3_600_000;
const COMPRESSION = { level: constants.Z_BEST_SPEED, chunkSize: 1 << 18 };

export function createSnapshots({ objects, folder, kept = 5 }: SnapshotsOptions): Snapshots {
  const prefix = (dataset: string): string => `snapshots/${dataset}/`;
  const folderOf = (dataset: string): string => join(folder, dataset);
  const fileOf = (dataset: string, { name }: Snapshot): string => join(folderOf(dataset), name);
  const lookupFileOf = (dataset: string, snapshot: Snapshot): string => `${fileOf(dataset, snapshot)}.lookup`;
  const removeFiles = async (dataset: string, snapshot: Snapshot): Promise<void> => {
    await rm(fileOf(dataset, snapshot), { force: true });
    await rm(lookupFileOf(dataset, snapshot), { force: true });
  };

  async function stored(dataset: string): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    for await (const { key } of objects.list(prefix(dataset))) found.push(...parse(key.slice(prefix(dataset).length)));
    return newestFirst(found);
  }
  async function local(dataset: string): Promise<Snapshot[]> {
    return newestFirst((await readdir(folderOf(dataset)).catch(() => [])).flatMap(parse));
  }

  async function download(dataset: string, snapshot: Snapshot): Promise<void> {
    const source = await objects.open(`${prefix(dataset)}${snapshot.name}`);
    const { file, digest } = await writeFile(folderOf(dataset), source, []);
    if (digest === snapshot.digest) return rename(file, fileOf(dataset, snapshot));
    await rm(file);
    throw damaged(snapshot);
  }

  async function prune(dataset: string): Promise<Snapshot[]> {
    const all = await stored(dataset);
    for (const { name } of all.slice(kept)) await objects.remove(`${prefix(dataset)}${name}`);
    for (const old of (await local(dataset)).slice(KEPT_FILES)) await removeFiles(dataset, old);
    await removeParts(folderOf(dataset));
    return all.slice(0, kept);
  }

  return {
    async list(dataset) {
      const files = await local(dataset);
      const others = await stored(dataset).catch((err: unknown) => {
        if (files.length === 0) throw err;
        return []; // object storage is unavailable: use the local ones
      });
      return newestFirst([...new Map([...files, ...others].map((each) => [each.name, each])).values()]);
    },
    async restore(dataset, snapshot, replica) {
      const file = fileOf(dataset, snapshot);
      if (!(await isWhole(file, snapshot))) {
        await rm(file, { force: true });
        await download(dataset, snapshot);
      }
      const source = createReadStream(file, { highWaterMark: 1 << 18 });
      await pipeline(source, createGunzip({ chunkSize: 1 << 18 }), (bytes: AsyncIterable<Buffer>) =>
        decodeSnapshot(bytes, replica),
      );
    },
    async lookupOf(dataset, snapshot) {
      return readFile(lookupFileOf(dataset, snapshot)).catch((err: NodeJS.ErrnoException) => {
        if (err.code === 'ENOENT') return undefined;
        throw err;
      });
    },
    async save(dataset, replica, head, lookup) {
      const source = Readable.from(encodeSnapshot(replica, head));
      const { file, digest } = await writeFile(folderOf(dataset), source, [createGzip(COMPRESSION)]);
      const [snapshot] = parse(`${String(head.position).padStart(12, '0')}.${head.token}.${digest}.1.gz`);
      if (snapshot === undefined) throw new SlipwayError('internal', `${head.token} is no token`);
      await rename(file, fileOf(dataset, snapshot));
      if (lookup !== undefined) {
        // It has a checksum of its own.
        const part = `${file}.lookup`;
        await pipeline(Readable.from(lookup), createWriteStream(part));
        await rename(part, lookupFileOf(dataset, snapshot));
      }
      await objects.put(`${prefix(dataset)}${snapshot.name}`, createReadStream(fileOf(dataset, snapshot)), {
        contentType: 'application/gzip',
      });
      return prune(dataset);
    },
    forget: removeFiles,
  };
}

/** Writes a file under a temporary name. @returns its digest */
async function writeFile(
  folder: string,
  source: Readable,
  through: Transform[],
): Promise<{ file: string; digest: string }> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${randomUUID()}.part`);
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline([source, ...through, hashing, createWriteStream(file)]);
  } catch (err) {
    await rm(file, { force: true });
    throw err;
  }
  return { file, digest: hash.digest('hex') };
}

async function isWhole(file: string, { digest }: Snapshot): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
    return hash.digest('hex') === digest;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw err;
  }
}

/** Removes temporary files of processes that were killed while writing. */
async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.part(\.lookup)?$/.test(name)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > PART_MS) await rm(file, { force: true });
  }
}

function parse(name: string): Snapshot[] {
  const [, position, token = '', digest = ''] = NAME.exec(name) ?? [];
  return position === undefined ? [] : [{ name, position: Number(position), token, digest }];
}

const newestFirst = (list: readonly Snapshot[]): Snapshot[] =>
  list.toSorted((one, other) => other.position - one.position);

const damaged = ({ name }: Snapshot): SlipwayError => new SlipwayError('internal', `snapshot ${name} is damaged`);
