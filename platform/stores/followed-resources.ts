import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntryBase } from '../kinds/log-entry.js';
import { mapSome } from '../kinds/map-some.js';
import type { AnyResource } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { TRUSTED_MS } from './log-end.js';
import type { LogFollower } from './log-follower.js';
import { createResourceChanges, type NotedKind, type ResourceChange } from './resource-changes.js';
import { type Revision, revisionId } from './resource-log.js';

/** The resources of one kind, in the form in which a process needs them. */
export interface ResourceView {
  /** Takes a resource that was there when the view was loaded. */
  load(resource: AnyResource): void;
  /** Called once, after the last `load`. */
  loaded(): void;
  /** Takes a change. @param resource undefined: it was removed */
  set(id: string, resource: AnyResource | undefined): void;
}

/** Views of all resources of some kinds, loaded once and then kept by the log of changes. */
export interface FollowedResources<K extends NotedKind, View extends ResourceView> {
  /** Returns a view with every change that was in the log when this was called; undefined until it is loaded. */
  newest(kind: K): Promise<View | undefined>;
  /** Follows the changes from now on. @returns when the views are loaded */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface FollowedResourcesOptions<K extends NotedKind, View extends ResourceView> {
  database: Database;
  kinds: readonly K[];
  /** Returns an empty view. It takes the place of an earlier one when the changes between the two are unknown. */
  open: (kind: K) => View;
  pollMs?: number;
  /** Age at which views are loaded again, by default never. */
  reloadMs?: number;
  onError?: (err: unknown) => void;
}

interface Loaded<View> {
  at: number;
  follower: LogFollower<LogEntryBase & ResourceChange>;
  views: ReadonlyMap<NotedKind, View>;
  /** Resources that changed after they were read. */
  changed: Map<string, ResourceChange>;
}

/** Age for kinds whose changes a process of an earlier version does not note: what it wrote is found with the next load. */
export const RELOAD_MS = 15 * 60_000;

/** Concurrent point reads. */
const AT_ONCE = 16;

export const createFollowedResources = <K extends NotedKind, View extends ResourceView>(
  options: FollowedResourcesOptions<K, View>,
): FollowedResources<K, View> => new Followed(options);

class Followed<K extends NotedKind, View extends ResourceView> implements FollowedResources<K, View> {
  readonly #options: Required<FollowedResourcesOptions<K, View>>;
  readonly #stopping = new AbortController();
  #loaded: Loaded<View> | undefined;
  #starting: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor({
    pollMs = 1_000,
    reloadMs = Infinity,
    onError = () => {},
    ...options
  }: FollowedResourcesOptions<K, View>) {
    this.#options = { ...options, pollMs, reloadMs, onError };
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

  async newest(kind: K): Promise<View | undefined> {
    const loaded = this.#loaded;
    if (loaded === undefined || loaded.follower.lagMs() > TRUSTED_MS) return undefined;
    await this.#catchUp(loaded);
    return loaded.views.get(kind);
  }

  async #catchUp(loaded: Loaded<View>): Promise<void> {
    await loaded.follower.catchUp();
    // One after the other: of two reads of a resource, the older one must not be applied last.
    const mine = this.#refreshing.then(() => this.#refresh(loaded));
    this.#refreshing = mine.catch(() => {});
    await mine;
  }

  async #refresh({ changed, views }: Loaded<View>): Promise<void> {
    const batch = [...changed.values()];
    changed.clear();
    try {
      await mapSome(batch, AT_ONCE, async (change) => views.get(change.kind)?.set(change.id, await this.#read(change)));
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
    const { database } = this.#options;
    const log = database.table<Revision>(collections.log(kind));
    let newest = await database.table<Revision>(collections.entity(kind)).get(id);
    while ((newest?.revision ?? 0) < revision) {
      const next = await log.get(revisionId(id, (newest?.revision ?? 0) + 1));
      if (next === undefined) break;
      newest = next;
    }
    return newest?.entity ?? undefined;
  }

  async #poll(onLoad: () => void): Promise<void> {
    const { pollMs, onError } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (this.#mustLoad()) this.#loaded = await this.#load();
        if (this.#loaded !== undefined) await this.#catchUp(this.#loaded);
        onLoad();
      } catch (err) {
        if (!signal.aborted) onError(err);
      }
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  }

  #mustLoad(): boolean {
    if (this.#loaded === undefined) return true;
    const { at, follower } = this.#loaded;
    return follower.lagMs() > TRUSTED_MS || performance.now() - at > this.#options.reloadMs;
  }

  /** The end of the changes first: a change before it was committed before, so the log of its kind shows it. */
  async #load(): Promise<Loaded<View>> {
    const { database, kinds, open } = this.#options;
    const at = performance.now();
    const changed = new Map<string, ResourceChange>();
    const isFollowed = (kind: NotedKind): boolean => kinds.some((each) => each === kind);
    const follower = await createResourceChanges({ database }).follow((change) => {
      if (isFollowed(change.kind)) note(changed, change);
    });
    const views = new Map<NotedKind, View>();
    for (const kind of kinds) views.set(kind, await this.#loadKind(kind, open(kind), changed));
    return { at, follower, views, changed };
  }

  async #loadKind(kind: K, view: View, changed: Map<string, ResourceChange>): Promise<View> {
    const { database } = this.#options;
    const { signal } = this.#stopping;
    const revisions = new Map<string, number>();
    const stored = database.table<Revision>(collections.entity(kind));
    for await (const { id, revision, entity } of stored.members(['id', 'revision', 'entity'])) {
      signal.throwIfAborted();
      revisions.set(id, revision);
      if (entity !== null) view.load(entity);
    }
    view.loaded();
    const log = database.table<Revision>(collections.log(kind));
    for await (const { id, revision } of log.members(['id', 'revision'])) {
      signal.throwIfAborted();
      if (revision > (revisions.get(id) ?? 0)) note(changed, { kind, id, revision });
    }
    return view;
  }
}

/** Keeps the newest change of each resource. */
function note(changed: Map<string, ResourceChange>, { kind, id, revision }: ResourceChange): void {
  const key = `${kind}/${id}`;
  changed.set(key, { kind, id, revision: Math.max(revision, changed.get(key)?.revision ?? 0) });
}
