import type { BuiltIndex } from '../../reference/dataset/dataset-index.js';
import type { Leaf } from '../../reference/dataset/dataset-leaves.js';
import { aggregate, countValues } from '../../reference/dataset/facets.js';
import type { FilterTarget } from '../../reference/filter/index.js';
import { suggest } from '../../reference/filter/suggestion.js';
import type { IdForm } from '../../reference/rows/row-writer.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { quote } from '../http/parameters.js';

const MOST_FIELDS = 10;
const MOST_VALUES = 100;

interface FiguresAsked {
  facets: readonly Leaf[];
  aggregates: readonly Leaf[];
}

/** Reads the fields whose values are counted or aggregated. @throws fields.unknown */
export function toFigures(given: { facets?: string; aggregates?: string }, target: FilterTarget): FiguresAsked {
  return {
    facets: fieldsOf('facets', given.facets, target, {
      words: 'a field that can be filtered',
      fits: ({ filterable, path }) => filterable && path !== 'id',
    }),
    aggregates: fieldsOf('aggregates', given.aggregates, target, {
      words: 'an integer or a decimal, no list',
      fits: ({ type, list, filterable, sortable }) =>
        (type === 'integer' || type === 'decimal') && !list && (filterable || sortable),
    }),
  };
}

interface Fit {
  words: string;
  fits: (leaf: Leaf) => boolean;
}

function fieldsOf(parameter: string, text: string | undefined, { dataset, leaves }: FilterTarget, fit: Fit): Leaf[] {
  if (text === undefined) return [];
  const paths = [...new Set(text.split(',').map((path) => path.trim()))];
  const refuse = (message: string, suggestion?: string): never => {
    const problem = { code: 'fields.unknown', message, parameter, ...(suggestion !== undefined && { suggestion }) };
    throw new SlipwayError('fields.unknown', `${parameter}: ${message}`, { problems: [problem] });
  };
  if (paths.length > MOST_FIELDS) refuse(`at most ${MOST_FIELDS} fields are accepted`);
  return paths.map((path) => {
    const leaf = leaves.get(path);
    if (leaf === undefined) {
      const known = [...leaves.values()].filter(fit.fits).map((each) => each.path);
      return refuse(`${dataset} has no field ${quote(path)}`, suggest(path, known));
    }
    return fit.fits(leaf) ? leaf : refuse(`${path} must be ${fit.words}`);
  });
}

/** JSON members of an answer, computed over every row of the search; undefined when nothing is asked for. */
export async function figuresJson(
  { facets, aggregates }: FiguresAsked,
  { columns }: Pick<BuiltIndex, 'columns'>,
  { rows, ids }: { rows: () => Promise<Int32Array>; ids: IdForm },
): Promise<string | undefined> {
  if (facets.length + aggregates.length === 0) return undefined;
  const found = await rows();
  const json = (value: unknown) => toJson(value, ids);
  const members: string[] = [];
  const collect = async (name: string, leaves: readonly Leaf[], read: (leaf: Leaf) => Promise<unknown>) => {
    const parts: string[] = [];
    for (const leaf of leaves) parts.push(`${JSON.stringify(leaf.path)}:${json(await read(leaf))}`);
    if (parts.length > 0) members.push(`"${name}":{${parts.join(',')}}`);
  };
  await collect('facets', facets, async ({ path }) => {
    const column = columns.column(path);
    return column && countValues(column, found, MOST_VALUES);
  });
  await collect('aggregates', aggregates, async ({ path }) => {
    const column = columns.column(path);
    return column && column.kind !== 'list' ? aggregate(column, found) : undefined;
  });
  return members.join(',');
}

/** Integers as in rows: exact, and as strings where a reader of JSON would round them. */
function toJson(value: unknown, ids: IdForm): string {
  if (ids === 'string') {
    return JSON.stringify(value, (_, each: unknown) => {
      if (typeof each !== 'bigint') return each;
      return Number.isSafeInteger(Number(each)) ? Number(each) : String(each);
    });
  }
  const plain = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `\0${each}` : each));
  return plain.replaceAll(/"\\u0000(-?\d+)"/g, '$1');
}
