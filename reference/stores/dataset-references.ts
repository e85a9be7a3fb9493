import type { Referring } from '../dataset/dangling.js';
import { referenceLeavesOf } from '../dataset/references.js';
import type { Datasets, ReadyDataset } from './datasets.js';

/** References of a dataset beside what they refer to, all as they are shown at this moment. */
export interface OpenReferring extends Referring {
  /** Of the datasets that are referred to: what `exists` says is the same as long as this is. */
  versions: string;
}

/**
 * @param targets which of the datasets that are referred to are to be looked at
 * @throws dataset.not_found, replica.loading for one of those
 */
export function openReferring(
  datasets: Pick<Datasets, 'get'>,
  { dataset, declaration }: ReadyDataset,
  targets: (name: string) => boolean = () => true,
): OpenReferring {
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
    // While an index is built for a new declaration, the one in use has the columns of the old.
    columns: built?.declaration.generation === declaration.generation ? built.columns : undefined,
    versions: Array.from(opened, ([name, { visible }]) => `${name}@${visible}`).join(),
    exists(name, id) {
      const target = opened.get(name);
      if (target === undefined) return true; // not looked at
      const row = target.rows.findAt(id, target.visible);
      return row >= 0 && !target.rows.isDeleted(row);
    },
  };
}
