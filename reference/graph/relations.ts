import type { Leaf } from '../dataset/dataset-leaves.js';
import type { DatasetSpec } from '../dataset/dataset.js';
import { referenceLeavesOf } from '../dataset/references.js';
import { createNames } from './names.js';

export interface GraphDataset {
  name: string;
  spec: DatasetSpec;
}

/** Rows of `dataset` that refer to a row through `leaf`. */
export interface Relation {
  /** Of the field on the type that is referred to. */
  name: string;
  dataset: string;
  leaf: Leaf;
}

/**
 * What refers to a dataset, by field name: the first reference that a dataset declares is named as the dataset itself,
 * further ones `<dataset>_by_<path>`. A leaf that cannot be filtered by has no index, and so no way back.
 */
export function relationsTo({ name: target, spec }: GraphDataset, all: readonly GraphDataset[]): Relation[] {
  const claim = createNames(['id', 'version', 'created_at', 'updated_at', ...Object.keys(spec.fields)]);
  return all.flatMap(({ name: dataset, spec: other }) =>
    referenceLeavesOf(other)
      .filter((leaf) => leaf.dataset === target && leaf.filterable)
      .map((leaf, at) => {
        const through = leaf.steps.slice(0, -1).join('_');
        const plainName = at === 0 && !Object.hasOwn(spec.fields, dataset);
        return { name: claim(plainName ? dataset : `${dataset}_by_${through}`), dataset, leaf };
      }),
  );
}
