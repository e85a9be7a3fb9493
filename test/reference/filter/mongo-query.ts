import { unreachable } from '../../../platform/kinds/errors.js';
import type { Leaf } from '../../../reference/dataset/dataset-leaves.js';
import type { Condition, Filter } from '../../../reference/filter/filter.js';
import { likeParts } from '../../../reference/filter/like-pattern.js';

/** A query document of MongoDB; integers of 64 bits in it are bigint. */
export type MongoQuery = Readonly<Record<string, unknown>>;

/**
 * The filter as a query over documents that hold a row's content beside `id` (64 bits), `version`, `created_at` and
 * `updated_at` (text), ids and integers as 64-bit integers, dates and times as text. The embedded server reads it alike
 * but for `=between=` on a list: its `$elemMatch` lets one entry be above the start and another below the end.
 */
export function toMongoQuery(filter: Filter): MongoQuery {
  switch (filter.kind) {
    case 'and':
      return { $and: filter.terms.map(toMongoQuery) };
    case 'or':
      return { $or: filter.terms.map(toMongoQuery) };
    case 'not':
      return { $nor: [toMongoQuery(filter.term)] };
    case 'near':
      throw new Error('the embedded server has no geometry');
    case 'condition':
      return toQuery(filter);
    default:
      return unreachable(filter);
  }
}

function toQuery({ leaf, operator, values }: Condition): MongoQuery {
  const [value, other] = values;
  const where = (test: MongoQuery): MongoQuery => ({ [leaf.path]: test });
  // To MongoDB an absent value is unequal to everything; to a filter it is neither equal nor unequal. The embedded server
  // looks for an entry that `$ne` holds for, where it should for one that it does not hold for: so it is said by `$nor`.
  const isNot = (test: MongoQuery): MongoQuery => ({ [holder(leaf)]: { $ne: null }, $nor: [where(test)] });
  switch (operator) {
    case '==':
      return where({ $eq: value });
    case '!=':
      return isNot({ $eq: value });
    case '<':
      return where({ $lt: value });
    case '<=':
      return where({ $lte: value });
    case '>':
      return where({ $gt: value });
    case '>=':
      return where({ $gte: value });
    case '=in=':
      return where({ $in: values });
    case '=out=':
      return isNot({ $in: values });
    case '=null=':
      return { [holder(leaf)]: value === true ? { $eq: null } : { $ne: null } };
    case '=like=':
      return where({ $regex: toRegex(String(value)), $options: 's' });
    case '=between=':
      return toRange(leaf, { $gte: value, $lte: other });
    default:
      return unreachable(operator);
  }
}

/** One and the same entry of a list must lie in the range. */
function toRange(leaf: Leaf, range: MongoQuery): MongoQuery {
  if (!leaf.list) return { [leaf.path]: range };
  return { [holder(leaf)]: { $elemMatch: leaf.dataset === undefined ? range : { id: range } } };
}

/** Returns the path that is present when the value is; a list of references may be present and empty. */
const holder = ({ list, dataset, steps, path }: Leaf): string =>
  list && dataset !== undefined ? steps.slice(0, -1).join('.') : path;

/** `\z` and not `$`, which PCRE lets stand before a line feed as well. */
const toRegex = (pattern: string): string => `^${likeParts(pattern).map(toRegexPart).join('')}\\z`;

const toRegexPart = (part: ReturnType<typeof likeParts>[number]): string => {
  if (part.kind === 'text') return part.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return part.kind === 'run' ? '.*' : '.';
};
