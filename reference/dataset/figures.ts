import type { IdForm } from '../rows/row-writer.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { FilterTarget } from '../filter/index.js';
import { suggest } from '../filter/suggestion.js';
import type { BuiltIndex } from './dataset-index.js';
import type { Leaf } from './dataset-leaves.js';
import { aggregate, type Aggregate, countValues, type Facet } from './facets.js';

export const FIGURE_LIMITS = { fields: 10, values: 100 } as const;

/** Facts about all rows of a search: the values of fields, or aggregates of fields of numbers. */
export type FigureKind = 'facets' | 'aggregates';

const FITS: Readonly<Record<FigureKind, { words: string; fits: (leaf: Leaf) => boolean }>> = {
  facets: {
    words: 'a field that can be filtered',
    fits: ({ filterable, path }) => filterable && path !== 'id',
  },
  aggregates: {
    words: 'an integer or a decimal, no list',
    fits: ({ type, list, filterable, sortable }) =>
      (type === 'integer' || type === 'decimal') && !list && (filterable || sortable),
  },
};

/**
 * Finds the fields whose values are counted or aggregated.
 * @param parameter the name that problems have
 * @throws fields.unknown
 */
export function figureLeaves(
  kind: FigureKind,
  given: readonly string[],
  { dataset, leaves, parameter = kind }: FilterTarget & { parameter?: string },
): Leaf[] {
  const { words, fits } = FITS[kind];
  const paths = [...new Set(given.map((path) => path.trim()))];
  const refuse = (message: string, suggestion?: string): never => {
    const problem = { code: 'fields.unknown', message, parameter, ...(suggestion !== undefined && { suggestion }) };
    throw new SlipwayError('fields.unknown', `${parameter}: ${message}`, { problems: [problem] });
  };
  if (paths.length > FIGURE_LIMITS.fields) refuse(`at most ${FIGURE_LIMITS.fields} fields are accepted`);
  return paths.map((path) => {
    const leaf = leaves.get(path);
    if (leaf === undefined) {
      const known = [...leaves.values()].filter(fits).map((each) => each.path);
      return refuse(`${dataset} has no field ${JSON.stringify(path.slice(0, 60))}`, suggest(path, known));
    }
    return fits(leaf) ? leaf : refuse(`${path} must be ${words}`);
  });
}

type Indexed = Pick<BuiltIndex, 'columns'>;

export async function facetOf(
  { path, type }: Leaf,
  { columns }: Indexed,
  rows: Int32Array,
  ids: IdForm = 'string',
): Promise<Facet> {
  const column = columns.column(path);
  if (column === undefined) throw new SlipwayError('internal', `${path} has no column`);
  const facet = await countValues(column, rows, FIGURE_LIMITS.values);
  if (type !== 'id' || ids === 'number') return facet;
  // As in rows: an id is a string whatever its size, so that it can be compared with theirs.
  return { ...facet, values: facet.values.map(({ value, count }) => ({ value: String(value), count })) };
}

export function aggregateOf({ path }: Leaf, { columns }: Indexed, rows: Int32Array): Promise<Aggregate> {
  const column = columns.column(path);
  if (column === undefined || column.kind === 'list') throw new SlipwayError('internal', `${path} has no numbers`);
  return aggregate(column, rows);
}

/** Writes JSON with integers as in rows: exact, and as strings where a reader of JSON would round them. */
export function figureText(value: unknown, ids: IdForm = 'string'): string {
  if (ids === 'string') {
    return JSON.stringify(value, (_, each: unknown) => {
      if (typeof each !== 'bigint') return each;
      return Number.isSafeInteger(Number(each)) ? Number(each) : String(each);
    });
  }
  const plain = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `\0${each}` : each));
  return plain.replaceAll(/"\\u0000(-?\d+)"/g, '$1');
}
