import type { AnyResource } from '../kinds/resource.js';
import {
  createFollowedResources,
  type FollowedResources,
  type FollowedResourcesOptions,
  type ResourceView,
} from './followed-resources.js';
import type { NotedKind } from './resource-changes.js';

/** All resources of some kinds in the memory of this process, for lists that are read with every request. */
export interface KeptLists {
  /** Returns all resources of a kind, ordered by id, with every write before the call; undefined until they are loaded. */
  list(kind: NotedKind): Promise<readonly AnyResource[] | undefined>;
  /** Follows the changes from now on. @returns when the lists are loaded */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export type KeptListsOptions = Omit<FollowedResourcesOptions<NotedKind, ResourceView>, 'open'>;

export function createKeptLists(options: KeptListsOptions): KeptLists {
  const followed: FollowedResources<NotedKind, KeptList> = createFollowedResources({
    ...options,
    open: () => new KeptList(),
  });
  return {
    list: async (kind) => (await followed.newest(kind))?.inOrder(),
    start: () => followed.start(),
    stop: () => followed.stop(),
  };
}

class KeptList implements ResourceView {
  readonly #resources = new Map<string, AnyResource>();
  #sorted: readonly AnyResource[] | undefined;

  load(resource: AnyResource): void {
    this.set(resource.id, resource);
  }

  loaded(): void {}

  set(id: string, resource: AnyResource | undefined): void {
    if (resource === undefined) this.#resources.delete(id);
    else this.#resources.set(id, resource);
    this.#sorted = undefined;
  }

  inOrder(): readonly AnyResource[] {
    this.#sorted ??= [...this.#resources.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return this.#sorted;
  }
}
