import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntryBase } from '../kinds/log-entry.js';
import type { AnyResource } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { listedFields, LISTED_KINDS, type ListedKind } from './listed-fields.js';
import { ListedResources } from './listed-resources.js';
import type { LogFollower } from './log-follower.js';
import { createResourceChanges, type ResourceChange, TRUSTED_MS } from './resource-changes.js';
import { meets, type ResourceIndex } from './resource-index.js';
import { type Revision, revisionId } from './resource-log.js';
import { createScannedIndex } from './scanned-index.js';

/** Indexes of all listed kinds in the memory of this process, for a server that can only scan. */
export interface KeptIndexes {
  /** Until the indexes are loaded, each page reads the whole collection. */
  of<E extends AnyResource>(kind: ListedKind): ResourceIndex<E>;
  /** Follows the changes from now on. @returns when the indexes are loaded */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeptIndexesOptions {
  database: Database;
  pollMs?: number;
  onError?: (err: unknown) => void;
}

/** Concurrent point reads. */
const AT_ONCE = 16;

interface Loaded {
  follower: LogFollower<LogEntryBase & ResourceChange>;
  lists: ReadonlyMap<ListedKind, ListedResources>;
  /** Resources that changed after they were read. */
  changed: Map<string, ResourceChange>;
}

export const createKeptIndexes = (options: KeptIndexesOptions): KeptIndexes => new Kept(options);

class Kept implements KeptIndexes {
  readonly #database: Database;
  readonly #pollMs: number;
  readonly #onError: (err: unknown) => void;
  readonly #stopping = new AbortController();
  #loaded: Loaded | undefined;
  #polling: Promise<void> | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor({ database, pollMs = 1_000, onError = () => {} }: KeptIndexesOptions) {
    this.#database = database;
    this.#pollMs = pollMs;
    this.#onError = onError;
  }

  of<E extends AnyResource>(kind: ListedKind): ResourceIndex<E> {
    const scanned = createScannedIndex<E>({ database: this.#database, kind });
    const stored = this.#database.table<Revision<E>>(collections.entity(kind));
    return {
      page: async (query) => {
        const list = await this.#newest(kind);
        if (list === undefined) return scanned.page(query);
        const { ids, total } = list.page(query);
        const found = await mapSome(ids, async (id) => (await stored.get(id))?.entity ?? undefined);
        const items = found.filter((resource) => resource !== undefined && meets(resource, query.where));
        return { items: items as E[], total };
      },
    };
  }

  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#polling ??= this.#poll(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  /** Returns the list with every change that was in the log when this was called. */
  async #newest(kind: ListedKind): Promise<ListedResources | undefined> {
    const loaded = this.#loaded;
    if (loaded === undefined || loaded.follower.lagMs() > TRUSTED_MS) return undefined;
    await this.#catchUp(loaded);
    return loaded.lists.get(kind);
  }

  async #catchUp(loaded: Loaded): Promise<void> {
    await loaded.follower.catchUp();
    // One after the other: of two reads of a resource, the older one must not be applied last.
    const mine = this.#refreshing.then(() => this.#refresh(loaded));
    this.#refreshing = mine.catch(() => {});
    await mine;
  }

  async #refresh({ changed, lists }: Loaded): Promise<void> {
    const batch = [...changed];
    changed.clear();
    try {
      await mapSome(batch, async ([, { kind, id }]) => lists.get(kind)?.set(id, await this.#read(kind, id)));
    } catch (err) {
      for (const [key, change] of batch) changed.set(key, change);
      throw err;
    }
  }

  /** Reads the newest committed revision, as the collection may not have it yet. */
  async #read(kind: ListedKind, id: string): Promise<AnyResource | undefined> {
    const log = this.#database.table<Revision>(collections.log(kind));
    let newest = await this.#database.table<Revision>(collections.entity(kind)).get(id);
    for (;;) {
      const next = await log.get(revisionId(id, (newest?.revision ?? 0) + 1));
      if (next === undefined) return newest?.entity ?? undefined;
      newest = next;
    }
  }

  async #poll(onLoad: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (this.#loaded === undefined || this.#loaded.follower.lagMs() > TRUSTED_MS) this.#loaded = await this.#load();
        await this.#catchUp(this.#loaded);
        onLoad();
      } catch (err) {
        this.#onError(err);
      }
      await sleep(this.#pollMs, undefined, { signal }).catch(() => {});
    }
  }

  /** The end of the changes first: a change before it was committed before, so the log of its kind shows it. */
  async #load(): Promise<Loaded> {
    const changed = new Map<string, ResourceChange>();
    const note = ({ kind, id }: ResourceChange): void => void changed.set(`${kind}/${id}`, { kind, id });
    const follower = await createResourceChanges({ database: this.#database }).follow(note);
    const lists = new Map<ListedKind, ListedResources>();
    for (const kind of LISTED_KINDS) lists.set(kind, await this.#loadKind(kind, note));
    return { follower, lists, changed };
  }

  async #loadKind(kind: ListedKind, note: (change: ResourceChange) => void): Promise<ListedResources> {
    const revisions = new Map<string, number>();
    const list = new ListedResources(listedFields(kind));
    const stored = this.#database.table<Revision>(collections.entity(kind));
    for await (const { id, revision, entity } of stored.members(['id', 'revision', 'entity'])) {
      revisions.set(id, revision);
      if (entity !== null) list.add(entity);
    }
    list.sort();
    const log = this.#database.table<Revision>(collections.log(kind));
    for await (const { id, revision } of log.members(['id', 'revision'])) {
      if (revision > (revisions.get(id) ?? 0)) note({ kind, id });
    }
    return list;
  }
}

/** Maps with a bounded number of calls under way. */
async function mapSome<Item, Result>(items: readonly Item[], map: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = new Array<Result>(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      results[at] = await map(items[at] as Item); // below the length
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}
