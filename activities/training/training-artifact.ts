import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { type Packed, packFolder } from '../shared/archive.js';
import { OUTPUT, takeFolder } from '../shared/job.js';
import { readOutcome } from './outcome.js';
import { withScratchFolder } from './workspace.js';

/** A packed artifact that waits in the platform's bucket for its self-check. */
export interface StagedArtifact extends Packed {
  key: string;
  runId: string;
  metrics: Record<string, number>;
  parameters: Record<string, string>;
}

/** Packs what the job left in its output folder; equal output gives the same digest and is stored once. */
export async function stageArtifact(
  engine: EngineDriver,
  handle: Handle,
  { objects, signal }: { objects: ObjectStore; signal: AbortSignal },
): Promise<StagedArtifact> {
  return withScratchFolder(async (scratch) => {
    const folder = join(scratch, 'artifact');
    const found = await takeFolder(engine, handle, `${OUTPUT}/artifact`, folder).catch(refuse);
    if (!found || (await readdir(folder)).length === 0) {
      throw runFailed({ reason: 'ArtifactNotFound', message: 'the training left no artifact' });
    }
    const { runId, metrics, params } = await readOutcome(engine, handle);
    const file = join(scratch, 'artifact.tar.gz');
    const packed = await packFolder(folder, file);
    const key = `artifacts/sha256/${packed.digest}.tar.gz`;
    await objects.put(key, createReadStream(file, { signal }), { ifAbsent: true, contentType: 'application/gzip' });
    return { ...packed, key, runId: runId ?? '', metrics, parameters: params };
  });
}

/** The program's own files are at fault: a device, or a link out of its folder. */
function refuse(err: unknown): never {
  if (!(err instanceof SlipwayError) || err.code !== 'validation_failed') throw err;
  throw runFailed({ reason: 'ToolchainFailed', message: `the output cannot be an artifact: ${err.message}` }, err);
}

/**
 * Stores the artifact under its name in the output connection's bucket. The same bytes under the same name are
 * success: an earlier attempt was here.
 * @throws run_failed, reason PackagerFailed, when another artifact has that name
 */
export async function publishArtifact(
  from: ObjectStore,
  to: ObjectStore,
  { staged, artifactName, signal }: { staged: StagedArtifact; artifactName: string; signal: AbortSignal },
): Promise<void> {
  const body = addAbortSignal(signal, await from.open(staged.key));
  const { created } = await to.put(artifactName, body, {
    ifAbsent: true,
    contentType: 'application/gzip',
    metadata: { sha256: staged.digest },
  });
  if (created) return;
  const existing = await to.head(artifactName);
  if (existing?.metadata.sha256 === staged.digest) return;
  throw runFailed({ reason: 'PackagerFailed', message: `another artifact has the name "${artifactName}" already` });
}

/** Errors that another attempt meets again: a missing bucket, missing write access, an unsupported provider. */
const LASTING: readonly ErrorCode[] = ['not_found', 'storage_refused', 'storage_denied', 'validation_failed'];

/** Turns a failure to store the artifact into a public message; other errors stay as they are. */
export function notPublished(connectionId: string, err: unknown): unknown {
  if (!(err instanceof SlipwayError) || !LASTING.includes(err.code)) return err;
  const message = `connection "${connectionId}" does not take the artifact: ${err.message}`;
  return runFailed({ reason: 'PushFailed', message }, err);
}
