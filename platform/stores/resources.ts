import type { AnyResource } from '../kinds/resource.js';
import type { ListQuery, ResourcePage } from './resource-index.js';

/** The stored resources of one kind. Every write raises `revision`; no write is lost, none is applied twice. */
export interface ResourceStore<E extends AnyResource> {
  get(id: string): Promise<E | undefined>;
  /** All, ordered by id (bytewise). */
  list(): Promise<E[]>;
  /** One page of the list, with every write that was acknowledged before the call. */
  page(query: ListQuery): Promise<ResourcePage<E>>;
  /** @throws already_exists */
  insert(entity: E): Promise<E>;
  /**
   * Read, change, write if there was no write in between; repeated on a lost race, so `change` must be pure.
   * @param change the whole new resource, or `undefined` to leave it as it is
   * @throws not_found, and whatever `change` throws
   */
  update(id: string, change: (current: E) => E | undefined): Promise<E>;
  /** Removes it if `only` agrees. @returns what was removed. */
  remove(id: string, only?: (current: E) => boolean): Promise<E | undefined>;
}
