import type { Client } from 'openapi-fetch';
import { SlipwayApiError } from './errors.js';
import { KIND_PATHS } from './kinds.js';
import type { Entity, EntityRequest, Kind } from './kinds.js';
import type { paths } from './openapi.js';

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
export interface ChangeOptions extends CallOptions {
  /** Refuse the change when the entity is of another generation by now (`revision_mismatch`). */
  generation?: number;
}

const PAGE_SIZE = 500;

/** What every kind has: list, get, create, replace, remove. */
export function createEntities<K extends Kind>(http: Client<paths>, kind: K) {
  // All kinds have the same operations, so the paths of one stand for all; `K` says what comes and goes.
  const path = KIND_PATHS[kind] as '/api/v1/model/training';
  const item = `${path}/{id}` as const;
  const ifMatch = (generation?: number) => (generation === undefined ? {} : { 'If-Match': `"${generation}"` });

  async function getChanged(id: string, etag?: string, { signal }: CallOptions = {}): Promise<Revision<K> | undefined> {
    const header = etag === undefined ? {} : { 'If-None-Match': etag };
    const { data, response } = await http.GET(item, { params: { path: { id }, header }, signal });
    return data && { entity: data as Entity<K>, etag: response.headers.get('etag') ?? '' };
  }

  async function find(id: string, options?: CallOptions): Promise<Entity<K> | undefined> {
    try {
      return (await getChanged(id, undefined, options))?.entity;
    } catch (error) {
      if (error instanceof SlipwayApiError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  return {
    kind,
    /** Every entity that matches, ordered by id; pages are read as needed. */
    async list(filters: Filters = {}, { signal }: CallOptions = {}): Promise<Entity<K>[]> {
      const found: Entity<K>[] = [];
      for (let page = 0; ; page += 1) {
        const query = { ...filters, size: PAGE_SIZE, page };
        const { data = [] } = await http.GET(path, { params: { query: query }, signal });
        found.push(...(data as Entity<K>[]));
        if (data.length < PAGE_SIZE) return found;
      }
    },
    /** @throws not_found */
    async get(id: string, options?: CallOptions): Promise<Entity<K>> {
      const found = await getChanged(id, undefined, options);
      if (found === undefined) throw new SlipwayApiError('not_found', `entity "${id}" is not found`);
      return found.entity;
    },
    /** The entity; undefined when there is none of that id. */
    find,
    /** The entity with its revision; undefined when it still is of the revision `etag`. @throws not_found */
    getChanged,
    /** @throws already_exists, validation_failed */
    async create(body: EntityRequest<K>, { signal }: CallOptions = {}): Promise<Entity<K>> {
      const { data } = await http.POST(path, { body: body as EntityRequest<'ModelTraining'>, signal });
      return data as Entity<K>;
    },
    /** Fields that are left out are cleared; the same spec again changes nothing. @throws not_found, validation_failed, revision_mismatch */
    async replace(body: EntityRequest<K>, { generation, signal }: ChangeOptions = {}): Promise<Entity<K>> {
      const params = { header: ifMatch(generation) };
      const { data } = await http.PUT(path, { body: body as EntityRequest<'ModelTraining'>, params, signal });
      return data as Entity<K>;
    },
    /** A deployment is gone a while later, once its replicas have stopped. @throws not_found, in_use, revision_mismatch */
    async remove(id: string, { generation, signal }: ChangeOptions = {}): Promise<void> {
      await http.DELETE(item, { params: { path: { id }, header: ifMatch(generation) }, signal });
    },
  };
}
export type Entities<K extends Kind> = ReturnType<typeof createEntities<K>>;
