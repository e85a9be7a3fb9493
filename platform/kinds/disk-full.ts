import { SlipwayError } from './errors.js';

/**
 * Texts of the system, of SQLite below the embedded database, and of MongoDB for a full disk. There is no code that all
 * servers use.
 */
const TEXTS = /no space left on device|database or disk is full|out ?of ?disk ?space/i;

/** Whether an error, or what caused it, says that a disk is full. */
export function isDiskFull(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  return ('code' in err && err.code === 'ENOSPC') || TEXTS.test(err.message) || isDiskFull(err.cause);
}

/** @param place what has no space, such as "the database" */
export const diskFull = (place: string, cause: unknown): SlipwayError =>
  new SlipwayError('disk_full', `${place} has no disk space left: free some, then repeat the request`, { cause });
