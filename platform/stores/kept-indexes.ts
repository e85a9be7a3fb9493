import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntryBase } from '../kinds/log-entry.js';
import { mapSome } from '../kinds/map-some.js';
import type { AnyResource } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { KeptDocuments } from './kept-documents.js';
import { listedFields, LISTED_KINDS, type ListedKind } from './listed-fields.js';
import { ListedResources } from './listed-resources.js';
import { TRUSTED_MS } from './log-end.js';
import type { LogFollower } from './log-follower.js';
import { createResourceChanges, type ResourceChange } from './resource-changes.js';
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
  /** Room for the documents of each kind; others are read from the database. */
  documentBytes?: number;
  onError?: (err: unknown) => void;
}

/** Concurrent point reads. */
const AT_ONCE = 16;

const DOCUMENT_BYTES = 192 * 2 ** 20;

interface KeptKind {
  list: ListedResources;
  documents: KeptDocuments<AnyResource>;
}

interface Loaded {
  follower: LogFollower<LogEntryBase & ResourceChange>;
  kinds: ReadonlyMap<ListedKind, KeptKind>;
  /** Resources that changed after they were read. */
  changed: Map<string, ResourceChange>;
}

export const createKeptIndexes = (options: KeptIndexesOptions): KeptIndexes => new Kept(options);

class Kept implements KeptIndexes {
  readonly #database: Database;
  readonly #pollMs: number;
  readonly #documentBytes: number;
  readonly #onError: (err: unknown) => void;
  readonly #stopping = new AbortController();
  #loaded: Loaded | undefined;
  #starting: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor({ database, pollMs = 1_000, documentBytes = DOCUMENT_BYTES, onError = () => {} }: KeptIndexesOptions) {
    this.#database = database;
    this.#pollMs = pollMs;
    this.#documentBytes = documentBytes;
    this.#onError = onError;
  }

  of<E extends AnyResource>(kind: ListedKind): ResourceIndex<E> {
    const scanned = createScannedIndex<E>({ database: this.#database, kind });
    const stored = this.#database.table<Revision<E>>(collections.entity(kind));
    return {
      page: async (query) => {
        const kept = await this.#newest(kind);
        if (kept === undefined) return scanned.page(query);
        const { ids, total } = kept.list.page(query);
        const found = await mapSome(
          ids,
          AT_ONCE,
          async (id) => kept.documents.get(id) ?? (await stored.get(id))?.entity,
        );
        const items = found.flatMap((resource) => (resource && meets(resource, query.where) ? resource : []));
        return { items: items as E[], total }; // a collection holds resources of its kind alone
      },
    };
  }

  start(): Promise<void> {
    this.#starting ??= new Promise((resolve) => {
      this.#polling = this.#poll(resolve);
    });
    return this.#starting;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  /** Returns the index with every change that was in the log when this was called. */
  async #newest(kind: ListedKind): Promise<KeptKind | undefined> {
    const loaded = this.#loaded;
    if (loaded === undefined || loaded.follower.lagMs() > TRUSTED_MS) return undefined;
    await this.#catchUp(loaded);
    return loaded.kinds.get(kind);
  }

  async #catchUp(loaded: Loaded): Promise<void> {
    await loaded.follower.catchUp();
    // One after the other: of two reads of a resource, the older one must not be applied last.
    const mine = this.#refreshing.then(() => this.#refresh(loaded));
    this.#refreshing = mine.catch(() => {});
    await mine;
  }

  async #refresh({ changed, kinds }: Loaded): Promise<void> {
    const batch = [...changed.values()];
    changed.clear();
    try {
      await mapSome(batch, AT_ONCE, async (change) => {
        const resource = await this.#read(change);
        const { list, documents } = kinds.get(change.kind) ?? {};
        list?.set(change.id, resource);
        if (resource === undefined) documents?.delete(change.id);
        else documents?.set(change.id, resource);
      });
    } catch (err) {
      for (const change of batch) note(changed, change);
      throw err;
    }
  }

  /**
   * Reads the newest revision of which the collection or the changes know; a later one may not be in the streams of events
   * yet. The collection may not have that of the change either.
   */
  async #read({ kind, id, revision }: ResourceChange): Promise<AnyResource | undefined> {
    const log = this.#database.table<Revision>(collections.log(kind));
    let newest = await this.#database.table<Revision>(collections.entity(kind)).get(id);
    while ((newest?.revision ?? 0) < revision) {
      const next = await log.get(revisionId(id, (newest?.revision ?? 0) + 1));
      if (next === undefined) break;
      newest = next;
    }
    return newest?.entity ?? undefined;
  }

  async #poll(onLoad: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (this.#loaded === undefined || this.#loaded.follower.lagMs() > TRUSTED_MS) this.#loaded = await this.#load();
        await this.#catchUp(this.#loaded);
        onLoad();
      } catch (err) {
        if (!signal.aborted) this.#onError(err);
      }
      await sleep(this.#pollMs, undefined, { signal }).catch(() => {});
    }
  }

  /** The end of the changes first: a change before it was committed before, so the log of its kind shows it. */
  async #load(): Promise<Loaded> {
    const changed = new Map<string, ResourceChange>();
    const follower = await createResourceChanges({ database: this.#database }).follow((change) =>
      note(changed, change),
    );
    const kinds = new Map<ListedKind, KeptKind>();
    for (const kind of LISTED_KINDS) kinds.set(kind, await this.#loadKind(kind, changed));
    return { follower, kinds, changed };
  }

  async #loadKind(kind: ListedKind, changed: Map<string, ResourceChange>): Promise<KeptKind> {
    const revisions = new Map<string, number>();
    const list = new ListedResources(listedFields(kind));
    const documents = new KeptDocuments<AnyResource>({ maxBytes: this.#documentBytes });
    const stored = this.#database.table<Revision>(collections.entity(kind));
    for await (const { id, revision, entity } of stored.members(['id', 'revision', 'entity'])) {
      this.#stopping.signal.throwIfAborted();
      revisions.set(id, revision);
      if (entity === null) continue;
      list.add(entity);
      documents.set(entity.id, entity); // the text of the id that the list has
    }
    list.sort();
    const log = this.#database.table<Revision>(collections.log(kind));
    for await (const { id, revision } of log.members(['id', 'revision'])) {
      this.#stopping.signal.throwIfAborted();
      if (revision > (revisions.get(id) ?? 0)) note(changed, { kind, id, revision });
    }
    return { list, documents };
  }
}

/** Keeps the newest change of each resource. */
function note(changed: Map<string, ResourceChange>, { kind, id, revision }: ResourceChange): void {
  const key = `${kind}/${id}`;
  changed.set(key, { kind, id, revision: Math.max(revision, changed.get(key)?.revision ?? 0) });
}
