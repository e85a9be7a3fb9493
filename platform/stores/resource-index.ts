import type { AnyResource } from '../kinds/resource.js';
import { textAt } from '../kinds/text-at.js';
import type { ListedField } from './listed-fields.js';

/** The field has one of these values. */
export interface ListCondition {
  field: ListedField;
  in: readonly string[];
}

export interface ListQuery {
  /** All of them hold. */
  where: readonly ListCondition[];
  skip: number;
  limit: number;
}

export interface ResourcePage<E extends AnyResource> {
  items: E[];
  /** How many match, on every page. */
  total: number;
}

/** Answers lists of one kind without reading the others of it. */
export interface ResourceIndex<E extends AnyResource> {
  /** Ordered by id (bytewise). A resource that changes meanwhile may be left out of a page, but is never shown where it does not match. */
  page(query: ListQuery): Promise<ResourcePage<E>>;
}

export const meets = (resource: AnyResource, where: readonly ListCondition[]): boolean =>
  where.every(({ field, in: values }) => values.some((value) => value === textAt(resource, field)));
