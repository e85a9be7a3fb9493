import type { Leaf } from '../dataset/dataset-leaves.js';
import type { DatasetSpec } from '../dataset/dataset.js';
import { referenceLeavesOf } from '../dataset/references.js';
import { createNames } from './names.js';

export interface GraphDataset {
  name: string;
  spec: DatasetSpec;
}

/** Relation: rows of `dataset` refer to a row through `leaf`. */
export interface Relation {
  /** Name of the field on the referenced type. */
  name: string;
  dataset: string;
  leaf: Leaf;
}

/**
 * Lists the relations to a dataset, by field name: the first reference of a dataset has the name of the dataset itself,
 * further ones `<dataset>_by_<path>`. A leaf that is not filterable has no index, and so no relation.
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
