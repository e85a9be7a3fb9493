import { isNotFound, SlipwayApiError } from './errors.js';
import type { Entity, Kind } from './kinds.js';

/** An entity with the revision that it had when it was read. */
export interface Revision<K extends Kind> {
  entity: Entity<K>;
  etag: string;
}

/** Values of one filter are alternatives. */
export type Filters = Readonly<Record<string, readonly string[]>>;

export interface CallOptions {
  signal?: AbortSignal;
}

/** Reads that every kind supports. */
export interface Reader<K extends Kind> {
  readonly kind: K;
  /** Every entity that matches, in the order of the server; pages are read as needed. */
  list(filters?: Filters, options?: CallOptions): Promise<Entity<K>[]>;
  /** @throws not_found */
  get(id: string, options?: CallOptions): Promise<Entity<K>>;
  /** The entity; undefined when there is none of that id. */
  find(id: string, options?: CallOptions): Promise<Entity<K> | undefined>;
  /** The entity with its revision; undefined when it still is of the revision `etag`. @throws not_found */
  getChanged(id: string, etag?: string, options?: CallOptions): Promise<Revision<K> | undefined>;
}

/** The rest of a reader, from its two requests. */
export function createReader<K extends Kind>(requests: Pick<Reader<K>, 'kind' | 'list' | 'getChanged'>): Reader<K> {
  const { getChanged } = requests;
  return {
    ...requests,
    async get(id, options) {
      const found = await getChanged(id, undefined, options);
      if (found === undefined) throw new SlipwayApiError('not_found', `entity "${id}" is not found`);
      return found.entity;
    },
    async find(id, options) {
      try {
        return (await getChanged(id, undefined, options))?.entity;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
}

const PAGE_SIZE = 500;

/** Reads page after page until one is not full. */
export async function readPages<Item>(
  readPage: (page: { size: number; page: number }) => Promise<Item[]>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 0; ; page += 1) {
    const items = await readPage({ size: PAGE_SIZE, page });
    found.push(...items);
    if (items.length < PAGE_SIZE) return found;
  }
}
