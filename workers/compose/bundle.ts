import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** All that a workflow can import. */
const FOLDERS = ['workflows', 'platform/kinds', 'lifecycle/kinds', 'notifications/kinds', 'reference/dataset'];

/** The workflow bundle as a file, built once per state of the sources: a restarted worker is back at once. */
export async function workflowBundle(stateDir: string): Promise<string> {
  const path = join(stateDir, `workflows-${await workflowDigest()}.js`);
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
