import { createDanglingFinder, type DanglingReference } from '../../reference/dataset/dangling-references.js';
import type { BuiltIndex } from '../../reference/dataset/dataset-index.js';
import { cacheByDeclaration } from '../../reference/dataset/declaration-cache.js';
import { referenceLeavesOf } from '../../reference/dataset/references.js';
import type { Declaration, Replica } from '../../reference/dataset/replica.js';
import { covers } from '../../platform/kinds/scope.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import { openReferences } from '../../reference/stores/dataset-references.js';
import type { Client } from './state.js';

/** The references to missing rows that a client may see, marked `"missing":true`, as of now. */
export interface Missing {
  of: (row: number) => readonly DanglingReference[];
  is: (dataset: string, id: bigint) => boolean;
  /** Two answers with the same rows may differ only where this text differs. */
  versions: string;
}

type Known = Pick<Datasets, 'get' | 'find'>;

/** Per declaration, by the names of the referenced datasets that a client may read. */
const opened = new WeakMap<Declaration, Map<string, Opened>>();
const KEPT_KINDS = 64;

interface Opened {
  missing: Missing | undefined;
  /** The state that it was built from. */
  index: BuiltIndex | undefined;
  targets: readonly Target[];
}
interface Target {
  name: string;
  replica: Replica | undefined;
  visible: number | undefined;
}

/**
 * Opens the references of a dataset to missing rows. It rebuilds them only when the index or a referenced dataset has
 * changed, as most requests of a client see the same state.
 * @returns undefined where the rows have no references, or none to datasets that the client may read
 */
export function openMissing(
  datasets: Known,
  ready: ReadyDataset,
  { scopes, rowFilters }: Pick<Client, 'scopes' | 'rowFilters'>,
): Missing | undefined {
  const { dataset, declaration } = ready;
  const names = targetsOf(declaration.spec).filter(
    // A mark would show whether a row exists that the client does not see.
    (name) => covers(scopes, `data:read:${name}`) && !rowFilters?.has(name),
  );
  if (names.length === 0) return undefined;
  const kinds = opened.get(declaration) ?? new Map<string, Opened>();
  const kind = names.join();
  const before = kinds.get(kind);
  if (before !== undefined && isCurrent(before, datasets, ready)) return before.missing;
  const targets = names.map((name) => targetOf(datasets, name));
  const created = { missing: build(datasets, ready, targets), index: dataset.index?.built, targets };
  if (kinds.size >= KEPT_KINDS) kinds.clear();
  opened.set(declaration, kinds.set(kind, created));
  return created.missing;
}

function build(datasets: Known, ready: ReadyDataset, targets: readonly Target[]): Missing | undefined {
  // A row of a dataset that is still loading may exist, so it is not marked as missing.
  const loaded = targets.filter(({ replica }) => replica !== undefined).map(({ name }) => name);
  if (loaded.length === 0) return undefined;
  const referring = openReferences(datasets, ready, (name) => loaded.includes(name));
  const { exists, versions } = referring;
  return { of: createDanglingFinder(referring), is: (name, id) => !exists(name, id), versions };
}

/** The rows of a replica at one position never change. */
const isCurrent = ({ index, targets }: Opened, datasets: Known, { dataset }: ReadyDataset): boolean =>
  index === dataset.index?.built &&
  targets.every(({ name, replica, visible }) => {
    const now = datasets.find(name)?.dataset.replica;
    return now === replica && now?.visible === visible;
  });

function targetOf(datasets: Known, name: string): Target {
  const replica = datasets.find(name)?.dataset.replica;
  return { name, replica, visible: replica?.visible };
}

const targetsOf = cacheByDeclaration((spec): readonly string[] => [
  ...new Set(referenceLeavesOf(spec).flatMap(({ dataset = [] }) => dataset)),
]);
