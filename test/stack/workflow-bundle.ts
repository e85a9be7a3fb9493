import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { workflowBundle } from '../../workers/compose/bundle.js';

const FOLDER = join(import.meta.dirname, '..', '..', '.slipway-test', 'workflows');

/** Returns the workflow bundle as a file that all test files share: building it takes seconds of both processors. */
export const sharedWorkflowBundle = (options?: { encodesFailures: boolean }): Promise<string> =>
  workflowBundle(FOLDER, options);

/** Puts the shared bundle where a worker with this state folder looks for it. */
export async function placeWorkflowBundle(stateDir: string): Promise<void> {
  const path = await sharedWorkflowBundle();
  await copyFile(path, join(stateDir, basename(path)));
}
