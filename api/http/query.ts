import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ApiContext } from './state.js';

const DEFAULT_SIZE = 500;
const MAX_SIZE = 10_000;

export interface ListQuery<Name extends string> {
  size: number;
  page: number;
  /** Accepted values per filter; absent for a filter that was not given or is `*`. */
  filters: Readonly<Partial<Record<Name, readonly string[]>>>;
}

/**
 * Reads the query of a list: `size`, `page` and the kind's own filters; a repeated filter means "or".
 * @throws bad_query, with the texts that existing scripts compare
 */
export function parseListQuery<Name extends string>(ctx: ApiContext, names: readonly Name[] = []): ListQuery<Name> {
  const { size = [], page = [], ...given } = queryLists(ctx);
  const unknown = Object.keys(given).find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined) throw badQuery(`cannot find ${unknown} url parameter`);
  const filters: Partial<Record<Name, readonly string[]>> = {};
  for (const name of names) {
    const values = given[name];
    if (values !== undefined && !(values.length === 1 && values[0] === '*')) filters[name] = values;
  }
  return { size: parseSize(size), page: toNumber('page', page, 0), filters };
}

/** @throws bad_query */
export const parseSize = (values: readonly string[]): number => toNumber('size', values, DEFAULT_SIZE);

/** Reads the values of each query parameter, in order. */
export function queryLists(ctx: ApiContext): Record<string, string[]> {
  const lists: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of new URLSearchParams(ctx.querystring)) (lists[name] ??= []).push(value);
  return lists;
}

export const badQuery = (message: string) => new SlipwayError('bad_query', message);

function toNumber(name: 'size' | 'page', values: readonly string[], byDefault: number): number {
  const [text, ...more] = values;
  if (text === undefined) return byDefault;
  if (more.length > 0) throw badQuery(`the ${name} URL parameter must be only one`);
  if (!/^[+-]?\d+$/.test(text)) throw badQuery(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (value < 0) throw badQuery(`the ${name} URL parameter must not be negative`);
  if (!Number.isSafeInteger(value) || (name === 'size' && value > MAX_SIZE)) {
    throw badQuery(`the ${name} URL parameter is too big`);
  }
  return value;
}
