import type { AnyResource } from '../../platform/kinds/resource.js';
import { namesOf, type Vocabulary } from '../../lifecycle/kinds/aliases.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { ListedField } from '../../platform/stores/listed-fields.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { setPageHeaders } from '../http/paging.js';
import { parseListQuery } from '../http/query.js';
import type { ApiContext } from '../http/state.js';

/** The field that a filter of a list compares. */
export interface ListFilter {
  field: ListedField;
  /** Where clients use several names for one thing. */
  vocabulary?: Vocabulary;
}

/**
 * Answers one page of a list.
 * @param filters by their names in the query
 * @param show makes of a resource what the list is of
 */
export function listStep<E extends AnyResource, Name extends string>(
  store: Pick<ResourceStore<E>, 'page'>,
  filters: Readonly<Record<Name, ListFilter>>,
  show: (resource: E) => AnyResource = (resource) => resource,
) {
  // The keys of the table are its names.
  const names = Object.keys(filters) as Name[];
  return async (ctx: ApiContext): Promise<void> => {
    const { filters: given, size, page } = parseListQuery(ctx, names);
    const where = names.flatMap((name) => {
      const values = given[name];
      return values === undefined ? [] : [toCondition(filters[name], values)];
    });
    const { items, total } = await store.page({ where, skip: size * page, limit: size });
    setPageHeaders(ctx, { size, page, total });
    ctx.body = items.map((item) => toReply(show(item)));
  };
}

const toCondition = ({ field, vocabulary }: ListFilter, values: readonly string[]) => ({
  field,
  in: vocabulary === undefined ? values : values.flatMap((name) => namesOf(vocabulary, name)),
});
