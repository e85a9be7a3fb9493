import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Filter, requireFilter } from '../filter/index.js';
import { withRule } from '../filter/rule.js';
import type { Leaf } from '../dataset/dataset-leaves.js';
import { type FigureKind, figureLeaves } from '../dataset/figures.js';
import { type Order, parseOrder } from '../dataset/order.js';
import type { ArgumentValues } from './argument-values.js';
import { GRAPH_LIMITS } from './limits.js';
import type { DatasetView } from './view.js';

/** The arguments of a connection. */
export interface SearchArguments {
  filter: Filter | undefined;
  order: Order;
  size: number;
  after: string | undefined;
}

/**
 * Reads the arguments of a connection, with the rules of a search over REST.
 * @throws filter.invalid, order.unknown_field, order.invalid, page.size
 */
export function readSearch(given: ArgumentValues, { name, index, rule }: DatasetView): SearchArguments {
  const target = { dataset: name, leaves: index.leaves, points: index.points };
  const { filter, order_by: order, first, after } = given;
  const read = typeof filter === 'string' ? requireFilter(filter, target, { parameter: 'filter' }) : undefined;
  return {
    filter: withRule(rule, read),
    order: parseOrder(typeof order === 'string' ? order : '', target, read),
    size: toSize(first),
    after: typeof after === 'string' ? after : undefined,
  };
}

function toSize(first: unknown): number {
  if (typeof first === 'number' && first >= 1) return Math.min(GRAPH_LIMITS.first, first);
  throw new SlipwayError('page.size', 'first takes an integer from 1 on', { members: { parameter: 'first' } });
}

/** The arguments of a lookup. */
export interface LookupArguments {
  text: string;
  limit: number;
  filter: Filter | undefined;
}

/** As `readSearch`. @throws lookup.query_too_long, parameter.invalid, filter.invalid */
export function readLookup(given: ArgumentValues, { name, index, rule }: DatasetView): LookupArguments {
  const { q, limit, filter } = given;
  const text = String(q);
  if (text.length > 2 * GRAPH_LIMITS.typed || [...text].length > GRAPH_LIMITS.typed) {
    throw new SlipwayError('lookup.query_too_long', `q has at most ${GRAPH_LIMITS.typed} characters`);
  }
  if (typeof limit !== 'number' || limit < 1 || limit > GRAPH_LIMITS.hits) {
    const members = { parameter: 'limit' };
    throw new SlipwayError('parameter.invalid', `limit takes an integer from 1 to ${GRAPH_LIMITS.hits}`, { members });
  }
  const target = { dataset: name, leaves: index.leaves, points: index.points };
  const read = typeof filter === 'string' ? requireFilter(filter, target, { parameter: 'filter' }) : undefined;
  return { text, limit, filter: withRule(rule, read) };
}

/** Returns the fields whose values are counted or aggregated. @throws fields.unknown */
export function readFigures(kind: FigureKind, { fields }: ArgumentValues, { name, index }: DatasetView): Leaf[] {
  const paths = fields as string[]; // a list of texts by its type
  return figureLeaves(kind, paths, { dataset: name, leaves: index.leaves, parameter: 'fields' });
}

/** Returns the ids of `id` or `ids`, parsed by the scalar. @throws parameter.invalid */
export function readIds({ id, ids = [id] }: ArgumentValues): bigint[] {
  const list = ids as bigint[]; // the scalar `Long` produces bigint only
  if (list.length <= GRAPH_LIMITS.ids) return list;
  const members = { parameter: 'ids' };
  throw new SlipwayError('parameter.invalid', `ids takes at most ${GRAPH_LIMITS.ids} ids`, { members });
}
