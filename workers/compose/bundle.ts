import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER } from './payload-codec.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** All that a workflow can import. */
const FOLDERS = ['workflows', 'platform/kinds', 'lifecycle/kinds', 'notifications/kinds', 'reference/dataset'];

/**
 * The workflow bundle as a file, built once per state of the sources: a restarted worker is back at once.
 * @param encodesFailures whether messages of failures are put into payloads, for the codec
 */
export async function workflowBundle(stateDir: string, { encodesFailures = false } = {}): Promise<string> {
  const form = encodesFailures ? '-encoded' : '';
  const path = join(stateDir, `workflows-${await workflowDigest()}${form}.js`);
  if (
    await readFile(path).then(
      () => true,
      () => false,
    )
  )
    return path;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows', 'index.ts'),
    logger: new DefaultLogger('WARN'),
    ...(encodesFailures && { failureConverterPath: FAILURE_CONVERTER }),
  });
  await mkdir(stateDir, { recursive: true });
  await writeFile(`${path}.${process.pid}`, code);
  await rename(`${path}.${process.pid}`, path);
  return path;
}

/** Fingerprint of all that workflows are made of. */
export async function workflowDigest(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const folder of FOLDERS) {
    for (const name of (await readdir(join(ROOT, folder))).sort()) {
      hash.update(name).update(await readFile(join(ROOT, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
