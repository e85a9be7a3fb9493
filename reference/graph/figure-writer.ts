import { aggregateOf, facetOf } from '../dataset/figures.js';
import type { ConnectionPage } from './connection-page.js';
import type { NamedAggregate, NamedFacet } from './field-meaning.js';
import { objectText } from './json-object.js';
import type { PlannedField, Work } from './planned-field.js';

type FigureWork = Extract<Work, { kind: 'facets' | 'aggregates' }>;

/** Writes the facets or aggregates of a page's search as JSON text. */
export async function writeFigures(
  { kind, leaves }: FigureWork,
  { members: fields }: PlannedField,
  page: ConnectionPage,
): Promise<string> {
  const rows = await page.allRows();
  const { index } = page.view;
  const texts: string[] = [];
  for (const leaf of leaves) {
    const named = { field: leaf.path };
    if (kind === 'facets') {
      const facet = { ...(await facetOf(leaf, index, rows)), ...named };
      texts.push(
        objectText(fields, (at) => {
          const field = fields[at];
          if (field?.work.kind === 'facet_values') return writeValues(field, facet.values);
          return facetText(field?.work, facet);
        }),
      );
    } else {
      const aggregate = { ...(await aggregateOf(leaf, index, rows)), ...named };
      texts.push(objectText(fields, (at) => aggregateText(fields[at]?.work, aggregate)));
    }
  }
  return `[${texts.join(',')}]`;
}

type FacetValue = NamedFacet['values'][number];

function writeValues({ members }: PlannedField, values: readonly FacetValue[]): string {
  return `[${values.map((value) => objectText(members, (at) => valueText(members[at]?.work, value))).join(',')}]`;
}

function facetText(work: Work | undefined, facet: NamedFacet): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'facet' ? work.write(facet) : undefined;
}

function aggregateText(work: Work | undefined, aggregate: NamedAggregate): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'aggregate' ? work.write(aggregate) : undefined;
}

function valueText(work: Work | undefined, value: FacetValue): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'facet_value' ? work.write(value) : undefined;
}
