import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { OUTPUT, takeFolder } from '../shared/job.js';
import { withScratchFolder } from '../training/workspace.js';

interface FileOutput {
  engine: EngineDriver;
  handle: Handle;
  /** The destination of the job. */
  to: ObjectStore;
  /** Folder there that belongs to one input file of one job. */
  folder: string;
  /** Called before anything is written. @throws when another attempt counts */
  requireAttempt: () => Promise<void>;
}

/**
 * Stores what the program left for one input file. The folder holds exactly that afterwards, also when an earlier
 * attempt wrote a part of something else.
 * @throws run_failed: PredictionFailed when there is nothing, PushFailed when the destination refuses it
 */
export async function storeOutput({ engine, handle, to, folder, requireAttempt }: FileOutput): Promise<void> {
  await withScratchFolder(async (scratch) => {
    const root = join(scratch, 'output');
    const found = await takeFolder(engine, handle, OUTPUT, root).catch(refuseHostile);
    const paths = found ? await filesIn(root) : [];
    if (paths.length === 0) throw failed(`the program left no file in ${OUTPUT}`);
    await requireAttempt();
    await replaceFolder(to, folder, { root, paths }).catch(refuseForGood);
  });
}

async function replaceFolder(
  to: ObjectStore,
  folder: string,
  { root, paths }: { root: string; paths: readonly string[] },
): Promise<void> {
  const keys = new Set<string>();
  for (const path of paths) {
    const key = `${folder}/${path}`;
    await to.put(key, createReadStream(join(root, path)), { contentType: contentTypeOf(path) });
    keys.add(key);
  }
  for await (const { key } of to.list(`${folder}/`)) if (!keys.has(key)) await to.remove(key);
}

const contentTypeOf = (path: string): string =>
  path.endsWith('.json') ? 'application/json' : 'application/octet-stream';

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

const failed = (message: string, cause?: unknown): Error => runFailed({ reason: 'PredictionFailed', message }, cause);

/** The program's own files are at fault: a device, or a link out of its folder. */
function refuseHostile(err: unknown): never {
  if (!(err instanceof SlipwayError) || err.code !== 'validation_failed') throw err;
  throw failed(`its output is refused: ${err.message}`, err);
}

/** A missing bucket, or no access to it: another attempt meets it again. */
function refuseForGood(err: unknown): never {
  if (!(err instanceof SlipwayError) || (err.retryable && err.code !== 'storage_denied')) throw err;
  throw runFailed({ reason: 'PushFailed', message: `the output cannot be stored: ${err.message}` }, err);
}
