import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';

type Dataset = ReturnType<Datasets['get']>['dataset'];

/** @throws replica.loading while the index of the dataset is built */
export function requireIndex({ index, name }: Dataset) {
  if (index?.built !== undefined) return index.built;
  throw new SlipwayError('replica.loading', `dataset "${name}" is being indexed: try again after Retry-After`);
}
