import { mapSome } from '../kinds/map-some.js';
import type { AnyResource } from '../kinds/resource.js';
import { collections } from './collections.js';
import { createFollowedResources, type FollowedResourcesOptions, type ResourceView } from './followed-resources.js';
import { KeptDocuments } from './kept-documents.js';
import { listedFields, LISTED_KINDS, type ListedKind } from './listed-fields.js';
import { ListedResources } from './listed-resources.js';
import { meets, type ResourceIndex } from './resource-index.js';
import type { Revision } from './resource-log.js';
import { createScannedIndex } from './scanned-index.js';

/** Indexes of all listed kinds in the memory of this process, for a server that can only scan. */
export interface KeptIndexes {
  /** Until the indexes are loaded, each page reads the whole collection. */
  of<E extends AnyResource>(kind: ListedKind): ResourceIndex<E>;
  /** Follows the changes from now on. @returns when the indexes are loaded */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeptIndexesOptions extends Pick<
  FollowedResourcesOptions<ListedKind, ResourceView>,
  'database' | 'pollMs' | 'onError'
> {
  /** Room for the documents of each kind; others are read from the database. */
  documentBytes?: number;
}

/** Concurrent point reads. */
const AT_ONCE = 16;

const DOCUMENT_BYTES = 192 * 2 ** 20;

interface KeptKind extends ResourceView {
  list: ListedResources;
  documents: KeptDocuments<AnyResource>;
}

export function createKeptIndexes({ documentBytes = DOCUMENT_BYTES, ...options }: KeptIndexesOptions): KeptIndexes {
  const { database } = options;
  const followed = createFollowedResources<ListedKind, KeptKind>({
    ...options,
    kinds: LISTED_KINDS,
    open: (kind) => keep(new ListedResources(listedFields(kind)), new KeptDocuments({ maxBytes: documentBytes })),
  });

  return {
    start: () => followed.start(),
    stop: () => followed.stop(),
    of<E extends AnyResource>(kind: ListedKind): ResourceIndex<E> {
      const scanned = createScannedIndex<E>({ database, kind });
      const stored = database.table<Revision<E>>(collections.entity(kind));
      return {
        async page(query) {
          const kept = await followed.newest(kind);
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
    },
  };
}

function keep(list: ListedResources, documents: KeptDocuments<AnyResource>): KeptKind {
  return {
    list,
    documents,
    load(resource) {
      list.add(resource);
      documents.set(resource.id, resource); // the text of the id that the list has
    },
    loaded: () => list.sort(),
    set(id, resource) {
      list.set(id, resource);
      if (resource === undefined) documents.delete(id);
      else documents.set(id, resource);
    },
  };
}
