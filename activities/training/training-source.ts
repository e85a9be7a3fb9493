import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { countInto, createRoom, withinRoom, type WorkspaceRoom } from './workspace-room.js';
import {
  atPath,
  type BucketRules,
  objectLocation,
  readProblem,
  wholeBucket,
} from '../../lifecycle/kinds/object-location.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Training, TrainingSpec } from '../../lifecycle/kinds/training.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { packFolder } from '../shared/archive.js';
import { fetchRepository } from './git.js';
import type { GitSource } from './git-source.js';
import {
  copyFailed,
  downloadObjects,
  placeData,
  storeWorkspace,
  withScratchFolder,
  type Workspace,
} from './workspace.js';
import { type OpenSecret, secretPlaces } from '../../platform/kinds/secret-places.js';

export interface SourceDeps {
  connections: ResourceStore<Connection>;
  objects: ObjectStore;
  /** Opens the bucket of an object-store connection; keys are relative to the connection's path. */
  openStore: (connection: Connection) => Promise<ObjectStore>;
  /** Plain text of a sealed secret of a connection, decoded from its Base64 form. */
  openSecret: OpenSecret;
  bucketRules: BucketRules;
  /** Folders under which a git connection may name a local path. */
  localRoots: readonly string[];
  outbound?: GitSource['outbound'];
  sshFirstUse?: boolean;
  /** Most bytes of the source and data of one training. */
  workspaceBytes?: number;
}

/** The part of it that reads connections of object stores. */
export type StoreDeps = Pick<SourceDeps, 'connections' | 'openStore' | 'bucketRules'>;

export interface PreparedSource extends Workspace {
  /** `''` when the source is object storage. */
  commit: string;
  /** SHA-256 per `localPath`. */
  dataDigests: Record<string, string>;
}

/** Brings source and data together and stores them as one workspace, named by its content. */
export async function prepareSource(
  deps: SourceDeps,
  training: Training,
  signal: AbortSignal,
): Promise<PreparedSource> {
  return withScratchFolder(async (scratch) => {
    const source = join(scratch, 'src');
    await mkdir(source);
    const room = createRoom(deps.workspaceBytes);
    const commit = await fetchSource(deps, training.spec, { folder: source, room, signal });
    await requireWorkDir(source, training.spec.workDir);
    const dataDigests = await fetchData(deps, training, { source, scratch, room, signal });
    return { ...(await storeWorkspace(source, scratch, deps.objects)), commit, dataDigests };
  });
}

async function fetchSource(deps: SourceDeps, spec: TrainingSpec, { folder, room, signal }: Download): Promise<string> {
  const { vcs, objectStorage } = spec.algorithmSource;
  if (vcs.connection === undefined) {
    const connection = await requireConnection(deps, objectStorage.connection ?? '');
    await fetchObjects(deps, connection, objectStorage.path, { folder, room, signal });
    return '';
  }
  const git = await requireConnection(deps, vcs.connection);
  const reference = vcs.reference ?? git.spec.reference;
  const { commit } = await withinRoom({ folder, room, signal }, (ending) =>
    fetchRepository({ ...gitSource(deps, git, reference, ending), folder }),
  );
  return commit;
}

/** How git reaches a connection's repository. */
export function gitSource(
  {
    openSecret,
    localRoots,
    outbound,
    sshFirstUse,
  }: Pick<SourceDeps, 'openSecret' | 'localRoots' | 'outbound' | 'sshFirstUse'>,
  { id, spec: { uri, keySecret, publicKey } }: Pick<Connection, 'id' | 'spec'>,
  reference: string | undefined,
  signal: AbortSignal,
): Omit<GitSource, 'folder'> {
  return {
    uri,
    reference,
    key: keySecret === undefined ? undefined : openSecret(keySecret, secretPlaces.connection(id, 'keySecret')),
    hostKey: publicKey === undefined ? undefined : Buffer.from(publicKey, 'base64').toString('utf8').trim(),
    localRoots,
    outbound,
    sshFirstUse,
    signal,
  };
}

async function fetchData(
  deps: SourceDeps,
  { spec, status }: Training,
  { source, scratch, room, signal }: { source: string; scratch: string; room: WorkspaceRoom; signal: AbortSignal },
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [index, { connection, localPath, remotePath, feedback }] of spec.data.entries()) {
    const folder = join(scratch, `data-${index}`);
    await mkdir(folder);
    if (feedback !== undefined) {
      const { digest, feedback: rows } = status.data?.[index] ?? {};
      if (digest === undefined || rows?.key === undefined) throw copyFailed(`the rows of "${localPath}" were not made`);
      const body = await deps.objects.open(rows.key).catch(refuseForGood);
      await pipeline(body, countInto(room), createWriteStream(join(folder, `feedback.${feedback.format}`)), {
        signal,
      });
      digests[localPath] = digest;
      await placeData({ downloaded: folder, source, localPath, isFile: true });
      continue;
    }
    const { isFile } = await fetchObjects(deps, await requireConnection(deps, connection), remotePath, {
      folder,
      room,
      signal,
    });
    digests[localPath] = (await packFolder(folder, `${folder}.tar.gz`)).digest;
    await placeData({ downloaded: folder, source, localPath, isFile });
  }
  return digests;
}

interface Download {
  folder: string;
  room: WorkspaceRoom;
  signal: AbortSignal;
}

async function fetchObjects(
  deps: SourceDeps,
  connection: Connection,
  path: string | undefined,
  into: Download,
): Promise<{ isFile: boolean }> {
  const from = toPath(deps, connection, path);
  const { count, isFile } = await openAndDownload(deps, from, into).catch(refuseForGood);
  if (count === 0) throw copyFailed(`connection "${connection.id}" has no objects at "${path ?? connection.spec.uri}"`);
  return { isFile };
}

/** A bucket or an object that is missing, a provider that we cannot read: a repeat finds the same. */
export function refuseForGood(err: unknown): never {
  if (err instanceof SlipwayError && !err.retryable && err.code !== 'run_failed') throw copyFailed(err.message, err);
  throw err;
}

/** A path is a file when an object has exactly this key; a folder's only object may bear the folder's own name. */
async function openAndDownload(deps: SourceDeps, from: Connection, { folder, ...limits }: Download) {
  const { path } = objectLocation(from.spec);
  const bucket = await deps.openStore({ ...from, spec: wholeBucket(from.spec) });
  const isObject = path !== '' && (await bucket.head(path)) !== undefined;
  const count = await downloadObjects(await deps.openStore(from), '', folder, limits);
  return { count, isFile: isObject && count === 1 };
}

/** Opens a connection to read data at its own path, or at one below. */
export async function openAt(deps: StoreDeps, id: string, path: string | undefined): Promise<ObjectStore> {
  return deps.openStore(toPath(deps, await requireConnection(deps, id), path));
}

/** @throws run_failed, DataCopyFailed, for what a training may not read: stored specs may be older than the rule */
function toPath(
  { bucketRules }: Pick<SourceDeps, 'bucketRules'>,
  connection: Connection,
  path: string | undefined,
): Connection {
  const problem = readProblem(connection.spec, path, bucketRules);
  if (problem !== undefined) throw copyFailed(`connection "${connection.id}": ${problem}`);
  return { ...connection, spec: atPath(connection.spec, path) };
}

export async function requireConnection(
  { connections }: Pick<SourceDeps, 'connections'>,
  id: string,
): Promise<Connection> {
  const connection = await connections.get(id);
  if (connection) return connection;
  throw runFailed({ reason: 'SourceCheckoutFailed', message: `connection "${id}" was deleted meanwhile` });
}

async function requireWorkDir(source: string, workDir: string): Promise<void> {
  const inside = !workDir.startsWith('/') && !workDir.split('/').includes('..');
  const found =
    inside &&
    (await stat(join(source, workDir)).then(
      (facts) => facts.isDirectory(),
      () => false,
    ));
  if (!found) throw runFailed({ reason: 'SourceCheckoutFailed', message: `the source has no folder "${workDir}"` });
}
