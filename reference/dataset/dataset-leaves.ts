import type { Field, Fields, LeafField, ListItem, ScalarType } from './dataset-field.js';
import type { DatasetSpec } from './dataset.js';

/** One value of a row, or one list of values: the unit of filters, orders and columns. */
export interface Leaf {
  /** As filters spell it: `customer.id`; a reference ends in `.id`. */
  path: string;
  /** The members to walk from the row; that of a reference is the last but one, its `id` the last. */
  steps: readonly string[];
  /** Type of the value, or of each value of a list; a reference is an `id`. */
  type: ScalarType;
  list: boolean;
  /** Values of an enum, in declared order. */
  values?: readonly string[];
  /** Target dataset of a reference. */
  dataset?: string;
  /** True for a reference whose target must not be deleted. */
  restricts?: true;
  filterable: boolean;
  sortable: boolean;
}

const member = (path: string, type: ScalarType): Leaf => ({
  path,
  steps: [path],
  type,
  list: false,
  filterable: true,
  sortable: true,
});

/** Every leaf by its path: first the members that each row has, then the declared ones in declared order. */
export function leavesOf({ fields }: Pick<DatasetSpec, 'fields'>): ReadonlyMap<string, Leaf> {
  const own = [member('id', 'id'), member('version', 'integer')];
  const times = [member('created_at', 'timestamp'), member('updated_at', 'timestamp')];
  return new Map([...own, ...times, ...walk(fields, [])].map((leaf) => [leaf.path, leaf]));
}

/** Returns the leaves of declared fields without the row members. */
export const fieldLeavesOf = (fields: Fields): ReadonlyMap<string, Leaf> =>
  new Map(walk(fields, []).map((leaf) => [leaf.path, leaf]));

const walk = (fields: Fields, above: readonly string[]): Leaf[] =>
  Object.entries(fields).flatMap(([name, field]) => toLeaves(field, [...above, name]));

function toLeaves(field: Field, steps: readonly string[]): Leaf[] {
  if (field.type === 'object') return walk(field.fields, steps);
  return [toLeaf(field, steps)];
}

function toLeaf(field: LeafField, steps: readonly string[]): Leaf {
  const item: LeafField | ListItem = field.type === 'list' ? field.of : field;
  const reference = item.type === 'ref';
  const all = reference ? [...steps, 'id'] : steps;
  return {
    path: all.join('.'),
    steps: all,
    type: reference ? 'id' : item.type,
    list: field.type === 'list',
    ...(item.type === 'enum' && { values: item.values }),
    ...(reference && { dataset: item.dataset }),
    ...(reference && item.on_delete === 'restrict' && { restricts: true as const }),
    filterable: field.filterable,
    sortable: field.type !== 'list' && field.sortable,
  };
}
