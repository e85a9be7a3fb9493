import type { BuiltIndex } from '../../reference/dataset/dataset-index.js';
import type { Leaf } from '../../reference/dataset/dataset-leaves.js';
import { aggregateOf, facetOf, type FigureKind, figureLeaves, figureText } from '../../reference/dataset/figures.js';
import type { FilterTarget } from '../../reference/filter/index.js';
import type { IdForm } from '../../reference/rows/row-writer.js';

type FiguresAsked = Readonly<Record<FigureKind, readonly Leaf[]>>;

/** Reads the fields whose values are counted or aggregated. @throws fields.unknown */
export function toFigures(given: Partial<Record<FigureKind, string>>, target: FilterTarget): FiguresAsked {
  const read = (kind: FigureKind) =>
    given[kind] === undefined ? [] : figureLeaves(kind, given[kind].split(','), target);
  return { facets: read('facets'), aggregates: read('aggregates') };
}

const COMPUTE = { facets: facetOf, aggregates: aggregateOf } as const;

/** JSON members of an answer, computed over every row of the search; undefined when nothing is asked for. */
export async function figuresJson(
  asked: FiguresAsked,
  index: Pick<BuiltIndex, 'columns'>,
  { rows, ids }: { rows: () => Promise<Int32Array>; ids: IdForm },
): Promise<string | undefined> {
  if (asked.facets.length + asked.aggregates.length === 0) return undefined;
  const found = await rows();
  const members: string[] = [];
  for (const kind of ['facets', 'aggregates'] as const) {
    const parts: string[] = [];
    for (const leaf of asked[kind]) {
      parts.push(`${JSON.stringify(leaf.path)}:${figureText(await COMPUTE[kind](leaf, index, found, ids), ids)}`);
    }
    if (parts.length > 0) members.push(`"${kind}":{${parts.join(',')}}`);
  }
  return members.join(',');
}
