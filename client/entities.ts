import type { Client } from 'openapi-fetch';
import { KIND_PATHS } from './kinds.js';
import type { Entity, EntityRequest, LifecycleKind, WritableKind } from './kinds.js';
import type { paths } from './openapi.js';
import { createReader, readPages } from './reader.js';
import type { CallOptions, Reader } from './reader.js';

export interface ChangeOptions extends CallOptions {
  /** Refuse the change when the entity is of another generation by now (`revision_mismatch`). */
  generation?: number;
  /** Change a protected deployment: for admins, on purpose. */
  overrideProtection?: boolean;
  /** Let the declaration of a dataset take fields back that every row allows. */
  force?: boolean;
}

/** Operations of every kind that clients create. */
export interface Entities<K extends WritableKind> extends Reader<K> {
  /** @throws already_exists, validation_failed */
  create(body: EntityRequest<K>, options?: CallOptions): Promise<Entity<K>>;
  /** Fields that are left out are cleared; the same spec again changes nothing. @throws not_found, validation_failed, revision_mismatch */
  replace(body: EntityRequest<K>, options?: ChangeOptions): Promise<Entity<K>>;
  /** A deployment is gone a while later, once its replicas have stopped. @throws not_found, in_use, revision_mismatch */
  remove(id: string, options?: ChangeOptions): Promise<void>;
}

export function createEntities<K extends LifecycleKind>(http: Client<paths>, kind: K): Entities<K> {
  // All kinds of the management API have the same operations, so the paths of one stand for all; `K` says what comes and goes.
  const path = KIND_PATHS[kind] as '/api/v1/model/deployment';
  const item = `${path}/{id}` as const;
  const headers = (id: string, { generation, overrideProtection }: ChangeOptions) => ({
    ...(generation !== undefined && { 'If-Match': `"${generation}"` }),
    ...(overrideProtection && { 'Override-Protection': id }),
  });

  const reader = createReader<K>({
    kind,
    list: (filters = {}, { signal } = {}) =>
      readPages(async (page) => {
        const query = { ...filters, ...page };
        const { data = [] } = await http.GET(path, { params: { query: query }, signal });
        return data as Entity<K>[];
      }),
    async getChanged(id, etag, { signal } = {}) {
      const header = etag === undefined ? {} : { 'If-None-Match': etag };
      const { data, response } = await http.GET(item, { params: { path: { id }, header }, signal });
      return data && { entity: data as Entity<K>, etag: response.headers.get('etag') ?? '' };
    },
  });

  return {
    ...reader,
    async create(body, { signal } = {}) {
      const { data } = await http.POST(path, { body: body as EntityRequest<'ModelDeployment'>, signal });
      return data as Entity<K>;
    },
    async replace(body, options = {}) {
      const { signal } = options;
      const params = { header: headers(body.id ?? '', options) };
      const { data } = await http.PUT(path, { body: body as EntityRequest<'ModelDeployment'>, params, signal });
      return data as Entity<K>;
    },
    async remove(id, options = {}) {
      await http.DELETE(item, { params: { path: { id }, header: headers(id, options) }, signal: options.signal });
    },
  };
}
