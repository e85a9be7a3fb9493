import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetState } from './meaning.js';
import type { DatasetView } from './view.js';

/** What one request reads. */
export interface Reading {
  views: ReadonlyMap<string, DatasetView>;
  /** Of every dataset, where it asks for them. */
  states: readonly DatasetState[];
  /** Answers of the fields of introspection, as JSON text by response name. */
  introspected: ReadonlyMap<string, string>;
}

export function viewOf({ views }: Pick<Reading, 'views'>, dataset: string): DatasetView {
  const view = views.get(dataset);
  if (view === undefined) throw new SlipwayError('internal', `the schema has ${dataset}, and there is no view of it`);
  return view;
}
