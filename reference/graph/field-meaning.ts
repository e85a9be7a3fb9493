import type { LookupHit } from '../lookup/lookup-index.js';
import type { Leaf } from '../dataset/dataset-leaves.js';
import type { Aggregate, Facet } from '../dataset/facets.js';

/** JSON text of a value of a stored row. */
export type WriteValue = (value: unknown) => string;

/** The meaning of a schema field: the executor goes by it, not by names. */
export type FieldMeaning =
  /** A value of a row, or a list of values. */
  | { kind: 'value'; member: string; write: WriteValue; required: boolean }
  | { kind: 'object'; member: string }
  /** A row of another dataset, or a list of rows. */
  | { kind: 'reference'; member: string; dataset: string; list: boolean }
  /** Rows of another dataset that refer to this one through a leaf. */
  | { kind: 'referring'; dataset: string; leaf: Leaf }
  | { kind: 'one'; dataset: string }
  | { kind: 'by_ids'; dataset: string }
  | { kind: 'rows'; dataset: string }
  | { kind: 'lookup'; dataset: string }
  | { kind: 'match'; write: (hit: LookupHit) => string }
  | { kind: 'datasets' }
  | { kind: 'dataset_state'; write: (state: DatasetState) => string }
  | { kind: 'edges' }
  | { kind: 'nodes' }
  | { kind: 'node' }
  | { kind: 'cursor' }
  | { kind: 'page_info' }
  | { kind: 'page_info_member'; write: (page: PageFacts) => string }
  | { kind: 'page'; write: (page: PageFacts) => string }
  /** Facts about all rows of the search of a connection. */
  | { kind: 'facets' | 'aggregates'; dataset: string }
  | { kind: 'facet'; write: (facet: NamedFacet) => string }
  | { kind: 'facet_values' }
  | { kind: 'facet_value'; write: (value: Facet['values'][number]) => string }
  | { kind: 'aggregate'; write: (aggregate: NamedAggregate) => string };

export type NamedFacet = Facet & { field: string };
export type NamedAggregate = Aggregate & { field: string };

/** Facts of a page of rows besides the rows. */
export interface PageFacts {
  total: number;
  version: number;
  hasMore: boolean;
  hasPrevious: boolean;
  /** Seals the position of the first or the last row; `null` when the page is empty. */
  cursorOf(end: 'first' | 'last'): string | null;
}

export interface DatasetState {
  name: string;
  version: number;
  asOf: string;
}
