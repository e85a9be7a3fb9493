import { createReadStream, createWriteStream } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { countInto, createRoom, type WorkspaceRoom } from './workspace-room.js';
import { CONTAINER_UID, packFolder } from '../shared/archive.js';

/** A packed workspace in object storage. */
export interface Workspace {
  key: string;
  digest: string;
}

/** A folder that is gone when `work` ends, however it ends. */
export async function withScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Packs `source` and stores it under its digest: the same content is stored once. */
export async function storeWorkspace(source: string, scratch: string, objects: ObjectStore): Promise<Workspace> {
  const file = join(scratch, 'workspace.tar.gz');
  const { digest } = await packFolder(source, file, { uid: CONTAINER_UID, prefix: './src' });
  const key = `workspaces/sha256/${digest}.tar.gz`;
  if (!(await objects.head(key))) {
    await objects.put(key, createReadStream(file), { ifAbsent: true, contentType: 'application/gzip' });
  }
  return { key, digest };
}

/** Copies every object under `prefix` into `folder`, as long as there is room; the object named exactly `prefix` becomes a file of its name. */
export async function downloadObjects(
  objects: ObjectStore,
  prefix: string,
  folder: string,
  { room = createRoom(), signal }: { room?: WorkspaceRoom; signal?: AbortSignal } = {},
): Promise<number> {
  let count = 0;
  for await (const { key } of objects.list(prefix)) {
    const inner = key === prefix ? basename(key) : key.slice(prefix.length).replace(/^\/+/, '');
    // `models` must not bring in `models-old/...`.
    const sibling = key !== prefix && prefix !== '' && !prefix.endsWith('/') && key[prefix.length] !== '/';
    if (sibling || inner === '' || inner.endsWith('/')) continue;
    refuseName(key, inner);
    const target = join(folder, inner);
    const body = await objects.open(key);
    await mkdir(dirname(target), { recursive: true }).catch(clash);
    await pipeline(body, countInto(room), createWriteStream(target), { signal }).catch(clash);
    count += 1;
  }
  return count;
}

/** @throws run_failed, reason DataCopyFailed: to leave one of the objects out would train on other data */
export function refuseName(key: string, path: string): void {
  const parts = path.split('/');
  if (parts.includes('..'))
    throw copyFailed(`object "${shown(key)}" leads out of its folder: store it under another name`);
  const isName = !path.includes('\u0000') && parts.every((part) => Buffer.byteLength(part) <= LONGEST_NAME);
  if (!isName) throw copyFailed(`no file can have the name of object "${shown(key)}": store it under another name`);
}

/** Linux allows no longer name of a file, in bytes. */
const LONGEST_NAME = 255;
const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);

interface Placement {
  /** Folder that holds what was downloaded. */
  downloaded: string;
  source: string;
  localPath: string;
  /** The data is one file, and not a folder that happens to hold one. */
  isFile: boolean;
}

/**
 * Places downloaded data at `localPath` of the source tree: a file onto a name renames it, a file onto `dir/` goes
 * into it, a folder merges into a folder; a folder onto a file fails.
 * @throws run_failed, reason DataCopyFailed
 */
export async function placeData({ downloaded, source, localPath, isFile }: Placement): Promise<void> {
  const parts = localPath.split('/').filter((part) => part !== '' && part !== '.');
  if (localPath.startsWith('/') || parts.includes('..')) throw copyFailed(`"${localPath}" leads out of the workspace`);
  await refuseLinks(source, parts, localPath);
  const target = join(source, ...parts);
  if (isFile && !localPath.endsWith('/') && !(await isFolder(target))) {
    const [only = ''] = await readdir(downloaded);
    await mkdir(dirname(target), { recursive: true }).catch(clash);
    await rename(join(downloaded, only), target);
    return;
  }
  if ((await exists(target)) && !(await isFolder(target)))
    throw copyFailed(`"${localPath}" is a file, the data is a folder`);
  await mkdir(target, { recursive: true }).catch(clash);
  await cp(downloaded, target, { recursive: true }).catch(clash);
}

/** A link in the repository must not lead a data copy out of the tree. */
async function refuseLinks(source: string, parts: readonly string[], localPath: string): Promise<void> {
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const facts = await lstat(join(source, ...parts.slice(0, depth))).catch(() => undefined);
    if (facts?.isSymbolicLink())
      throw copyFailed(`"${localPath}" is below a symbolic link of the repository: use a path without links`);
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );

/** A file where a folder should be, or a name that no file can have: a repeat finds the same. */
function clash(err: unknown): never {
  const code = typeof err === 'object' && err !== null && 'code' in err ? String(err.code) : '';
  const names = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_FS_CP_DIR_TO_NON_DIR', 'ERR_FS_CP_NON_DIR_TO_DIR'];
  if (!names.includes(code)) throw err;
  throw copyFailed('two files of the source and its data cannot stand beside each other', err);
}

export function copyFailed(message: string, cause?: unknown): Error {
  return runFailed({ reason: 'DataCopyFailed', message }, cause);
}
