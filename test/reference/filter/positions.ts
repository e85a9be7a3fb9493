import { parseFilter, requireFilter, type Filter } from '../../../reference/filter/index.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { acceptDataset } from '../../../reference/dataset/dataset-validation.js';

/** A dataset with a field of every type, as the filters of these tests see it. */
export const { spec } = acceptDataset('positions', {
  spec: {
    fields: {
      title: { type: 'text' },
      staffing_status: { type: 'enum', values: ['Open', 'Filled', 'On Hold', 'Closed'] },
      customer: { type: 'object', fields: { id: { type: 'id' }, name: { type: 'text' } } },
      location: { type: 'ref', dataset: 'locations' },
      skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
      tags: { type: 'list', of: { type: 'text' } },
      rates: { type: 'list', of: { type: 'decimal' } },
      counts: { type: 'list', of: { type: 'integer' } },
      days: { type: 'list', of: { type: 'date' } },
      head_count: { type: 'integer' },
      day_rate: { type: 'decimal' },
      remote: { type: 'boolean' },
      starts_on: { type: 'date' },
      posted_at: { type: 'timestamp' },
      notes: { type: 'text', filterable: false },
    },
  },
});
export const target = { dataset: 'positions', leaves: leavesOf(spec) };

export const read = (text: string): Filter => requireFilter(text, target);

/** Returns the problems of a filter. */
export function refusal(text: string) {
  const result = parseFilter(text, target);
  if (result.ok) throw new Error(`${text} is fine`);
  return result.problems;
}

/** A filter without its positions. */
export function shape(filter: Filter): unknown {
  if (filter.kind === 'near') return [filter.point.name, filter.latitude, filter.longitude, filter.radius];
  if (filter.kind === 'condition') return [filter.leaf.path, filter.operator, ...filter.values];
  return filter.kind === 'not' ? { not: shape(filter.term) } : { [filter.kind]: filter.terms.map(shape) };
}
