import { fieldLeavesOf, type Leaf } from '../../reference/dataset/dataset-leaves.js';
import { platformFields } from './catalogue.js';

/** What a filter of a platform type is about; `undefined`: it is no such type. */
export function platformLeaves(type: string): ReadonlyMap<string, Leaf> | undefined {
  const fields = platformFields(type);
  return fields && fieldLeavesOf(fields);
}
