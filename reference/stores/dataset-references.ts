import type { ReferenceView } from '../dataset/dangling-references.js';
import { referenceLeavesOf } from '../dataset/references.js';
import type { Datasets, ReadyDataset } from './datasets.js';

/** The references of a dataset and their targets, at the versions visible now. */
export interface OpenReferences extends ReferenceView {
  /** Versions of the target datasets: while they are equal, `exists` returns the same. */
  versions: string;
}

/**
 * @param targets selects the target datasets to check
 * @throws dataset.not_found, replica.loading for one of those
 */
export function openReferences(
  datasets: Pick<Datasets, 'get'>,
  { dataset, declaration }: ReadyDataset,
  targets: (name: string) => boolean = () => true,
): OpenReferences {
  const leaves = referenceLeavesOf(declaration.spec).filter(({ dataset: name = '' }) => targets(name));
  const opened = new Map(
    leaves.map(({ dataset: name = '' }) => {
      const { rows, visible } = datasets.get(name).dataset.replica;
      return [name, { rows, visible }];
    }),
  );
  const { rows, visible: version } = dataset.replica;
  const built = dataset.index?.built;
  return {
    rows,
    version,
    leaves,
    // While an index is built for a new declaration, the current one has the columns of the old.
    columns: built?.declaration.generation === declaration.generation ? built.columns : undefined,
    versions: Array.from(opened, ([name, { visible }]) => `${name}@${visible}`).join(),
    exists(name, id) {
      const target = opened.get(name);
      if (target === undefined) return true; // not selected
      const row = target.rows.findAt(id, target.visible);
      return row >= 0 && !target.rows.isDeleted(row);
    },
  };
}
