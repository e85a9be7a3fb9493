import type { Leaf } from '../../../reference/dataset/dataset-leaves.js';
import type { ScalarType } from '../../../reference/dataset/dataset-field.js';

/** A leaf of a type, under a name of its own. */
export const leafOf = (type: ScalarType, more: Partial<Leaf> = {}): Leaf => ({
  path: 'field',
  steps: ['field'],
  type,
  list: false,
  filterable: true,
  sortable: true,
  ...(type === 'enum' && { values: ['low', 'middle', 'high'] }),
  ...more,
});
