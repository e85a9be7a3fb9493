import { createLook, type DanglingReference } from '../../reference/dangling.js';
import { referenceLeavesOf } from '../../reference/references.js';
import { covers } from '../../resources/scope.js';
import type { Datasets, ReadyDataset } from '../../stores/datasets.js';
import { openReferring } from '../../stores/referring.js';
import type { Client } from './state.js';

/** What a client is told of references to nothing: `"missing":true`, as things are now. */
export interface Missing {
  of: (row: number) => DanglingReference[];
  is: (dataset: string, id: bigint) => boolean;
  /** Answers differ where this does. */
  versions: string;
}

/** @returns undefined where the rows have no references, or none to datasets that the client may read */
export function openMissing(
  datasets: Pick<Datasets, 'get' | 'find'>,
  ready: ReadyDataset,
  { scopes }: Pick<Client, 'scopes'>,
): Missing | undefined {
  if (referenceLeavesOf(ready.declaration.spec).length === 0) return undefined;
  // Of a dataset that is being loaded nothing is known, so nothing is said.
  const isRead = (name: string) => covers(scopes, `data:read:${name}`) && datasets.find(name) !== undefined;
  const referring = openReferring(datasets, ready, isRead);
  const { leaves, exists, versions } = referring;
  return leaves.length === 0 ? undefined : { of: createLook(referring), is: (name, id) => !exists(name, id), versions };
}
