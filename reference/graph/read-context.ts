import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetState } from './field-meaning.js';
import type { DatasetView } from './view.js';

/** The data that one request reads. */
export interface ReadContext {
  views: ReadonlyMap<string, DatasetView>;
  /** States of every dataset, when the request selects them. */
  states: readonly DatasetState[];
  /** Results of introspection fields, as JSON text by response name. */
  introspected: ReadonlyMap<string, string>;
}

export function viewOf({ views }: Pick<ReadContext, 'views'>, dataset: string): DatasetView {
  const view = views.get(dataset);
  if (view === undefined) throw new SlipwayError('internal', `the schema has ${dataset}, and there is no view of it`);
  return view;
}
