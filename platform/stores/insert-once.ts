import { SlipwayError } from '../kinds/errors.js';

const ATTEMPTS = 3;
/** Shorter than the wait of one operation for a server, so that a caller does not wait for an absent one again. */
const AGAIN_MS = 3_000;

/** Repeats an idempotent operation while the database does not answer. @throws unavailable after the last attempt */
export async function retryUnavailable<Result>(operation: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + AGAIN_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (err) {
      if (!isUnavailable(err) || attempt === ATTEMPTS || Date.now() > deadline) throw err;
    }
  }
}

export const isUnavailable = (err: unknown): boolean => err instanceof SlipwayError && err.code === 'unavailable';

export interface InsertOnce<Stored> {
  /** @returns false when the id is taken */
  insert: () => Promise<boolean>;
  /** Reads the row that has the id; undefined when it was removed since. */
  read: () => Promise<Stored | undefined>;
  /** Whether a row was written by this writer: it has the token that the writer drew for it. */
  isOwn: (stored: Stored) => boolean;
}

/** The result of an insert; `other`: the row of another writer, undefined when it was removed since. */
export type InsertResult<Stored> = { inserted: true } | { inserted: false; other: Stored | undefined };

/**
 * Inserts a row under an id that several writers compete for. A lost acknowledgement leaves it open whether the row was
 * written: the insert is repeated, and a taken id counts as success when the row there is the writer's own.
 * @throws unavailable: the row may or may not be stored
 */
export function insertOnce<Stored>({ insert, read, isOwn }: InsertOnce<Stored>): Promise<InsertResult<Stored>> {
  return retryUnavailable(async () => {
    if (await insert()) return { inserted: true };
    const stored = await read();
    return stored !== undefined && isOwn(stored) ? { inserted: true } : { inserted: false, other: stored };
  });
}
