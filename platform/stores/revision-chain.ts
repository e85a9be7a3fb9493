import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyResource } from '../kinds/resource.js';
import type { Table } from './database.js';
import { type Revision, revisionId } from './resource-log.js';

export interface RevisionChainOptions<E extends AnyResource> {
  /** The collection: the newest revision of each id. */
  entities: Pick<Table<Revision<E>>, 'get' | 'put'>;
  log: Pick<Table<Revision<E>>, 'get'>;
  /** Called for a revision before the collection shows it; may be repeated. */
  publish: (revision: Revision<E>) => Promise<void>;
  graceMs?: number;
}

/** A commit that is not in the collection yet is most likely being put there: only after this do other processes do it. */
const GRACE_MS = 20;

/** Brings the collection up to the newest commit of an id. */
export function createRevisionChain<E extends AnyResource>({
  entities,
  log,
  publish,
  graceMs = GRACE_MS,
}: RevisionChainOptions<E>) {
  /** @returns the newest committed revision; the collection holds it afterwards. `unstored`: `from` still has to be written. */
  async function rollForward(from: Revision<E> | undefined, id: string, unstored = false) {
    let newest = from;
    let behind = unstored;
    for (;;) {
      if (newest && behind) await publish(newest);
      const next = await log.get(revisionId(id, (newest?.revision ?? 0) + 1));
      if (next) {
        newest = next;
        behind = true;
      } else if (newest && behind) {
        await entities.put({ ...newest, _id: id });
        behind = false; // and read again: we may be the paused writer that just put an old revision back
      } else {
        return newest;
      }
    }
  }

  /** @returns the newest committed revision, `undefined` for an id that was never used */
  async function settle(id: string): Promise<Revision<E> | undefined> {
    const current = await entities.get(id);
    const next = await log.get(revisionId(id, (current?.revision ?? 0) + 1));
    if (next === undefined) return current;
    await sleep(graceMs);
    return rollForward(await entities.get(id), id);
  }

  return { rollForward, settle };
}
