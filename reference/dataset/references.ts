import { type Leaf, leavesOf } from './dataset-leaves.js';
import type { DatasetSpec } from './dataset.js';
import { toPointer } from '../../platform/kinds/problem.js';
import { cacheByDeclaration } from './declaration-cache.js';
import type { Content, Value } from '../rows/row.js';

/** One reference that a row holds. */
export interface Reference {
  dataset: string;
  id: bigint;
  /** JSON pointer to its id. */
  pointer: string;
}

/** Every reference in a row, in declared order. */
export function referencesIn(spec: DatasetSpec, content: Content): Reference[] {
  return referenceLeavesOf(spec).flatMap((leaf) => {
    const { dataset = '', steps, list } = leaf;
    const path = steps.slice(0, -1);
    const value = path.reduce<Value | undefined>(memberOf, content);
    if (value === undefined) return [];
    if (!list) return [{ dataset, id: idOf(value), pointer: toPointer(steps) }];
    return (value as readonly Value[]).map((item, at) => ({
      dataset,
      id: idOf(item),
      pointer: toPointer([...path, at, 'id']),
    }));
  });
}

/** The leaves that are references. */
export const referenceLeavesOf = cacheByDeclaration((spec): readonly Leaf[] =>
  [...leavesOf(spec).values()].filter(({ dataset }) => dataset !== undefined),
);

const memberOf = (value: Value | undefined, name: string): Value | undefined =>
  value !== undefined && Object.hasOwn(value as object, name) ? (value as Content)[name] : undefined;

/** A reference is stored as `{ id }`. */
const idOf = (value: Value): bigint => (value as { id: bigint }).id;
