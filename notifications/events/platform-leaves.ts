import { fieldLeavesOf, type Leaf } from '../../reference/dataset/dataset-leaves.js';
import { platformFields } from './catalogue.js';

/** Returns the fields that a filter of a platform type can name; `undefined` for other types. */
export function platformLeaves(type: string): ReadonlyMap<string, Leaf> | undefined {
  const fields = platformFields(type);
  return fields && fieldLeavesOf(fields);
}
