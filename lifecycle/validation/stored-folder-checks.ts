import { isObjectStore, readProblem } from '../kinds/object-location.js';
import type { StoredFolder } from '../kinds/inference-service.js';
import type { Findings } from '../../platform/kinds/findings.js';
import type { ValidationContext } from './validation.js';

/** The folders of a batch service or job, by the name of their field. */
export type FolderField = 'dataSource' | 'outputDestination' | 'modelRegistry.remote';

/**
 * Validates that a folder is in an object store, and not one that the platform keeps for itself: neither to read nor to
 * write.
 */
export async function checkStoredFolder(
  findings: Findings,
  field: FolderField,
  { connection, path }: StoredFolder,
  { lookups, rules }: ValidationContext,
): Promise<void> {
  if (connection === undefined || findings.misfit(`spec.${field}`)) return;
  const at = `spec.${field}`;
  const found = await lookups.connection(connection);
  if (found === undefined) {
    findings.add(at, 'not_found', `connection from "${field}" with name "${connection}" is not found`);
  } else if (!isObjectStore(found.spec.type)) {
    const message = `connection from "${field}" with name "${connection}" has type ${found.spec.type}: name one of type object-store`;
    findings.add(at, 'wrong_connection_type', message);
  } else {
    const problem = readProblem(found.spec, path, rules);
    findings.addIf(at, 'invalid', problem && `connection from "${field}" with name "${connection}": ${problem}`);
  }
}
