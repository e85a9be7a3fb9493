import { createDanglingFinder, type DanglingReference } from '../../reference/dataset/dangling-references.js';
import type { BuiltIndex } from '../../reference/dataset/dataset-index.js';
import { cacheByDeclaration } from '../../reference/dataset/declaration-cache.js';
import { referenceLeavesOf } from '../../reference/dataset/references.js';
import type { Declaration, Replica } from '../../reference/dataset/replica.js';
import { covers } from '../../platform/kinds/scope.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import { openReferences } from '../../reference/stores/dataset-references.js';
import type { Client } from './state.js';

/** What a client is told of references to nothing: `"missing":true`, as things are now. */
export interface Missing {
  of: (row: number) => readonly DanglingReference[];
  is: (dataset: string, id: bigint) => boolean;
  /** Answers differ where this does. */
  versions: string;
}

type Known = Pick<Datasets, 'get' | 'find'>;

/** Of a declaration, by the datasets that are looked into: as many as there are kinds of clients. */
const opened = new WeakMap<Declaration, Map<string, Opened>>();
const KEPT_KINDS = 64;

interface Opened {
  missing: Missing | undefined;
  /** What it was made of. */
  index: BuiltIndex | undefined;
  targets: readonly Target[];
}
interface Target {
  name: string;
  replica: Replica | undefined;
  visible: number | undefined;
}

/**
 * Made anew only when something changed that it is made of: most requests of a client meet the same state.
 * @returns undefined where the rows have no references, or none to datasets that the client may read
 */
export function openMissing(
  datasets: Known,
  ready: ReadyDataset,
  { scopes }: Pick<Client, 'scopes'>,
): Missing | undefined {
  const { dataset, declaration } = ready;
  const names = targetsOf(declaration.spec).filter((name) => covers(scopes, `data:read:${name}`));
  if (names.length === 0) return undefined;
  const kinds = opened.get(declaration) ?? new Map<string, Opened>();
  const kind = names.join();
  const before = kinds.get(kind);
  if (before !== undefined && isCurrent(before, datasets, ready)) return before.missing;
  const targets = names.map((name) => targetOf(datasets, name));
  const made = { missing: make(datasets, ready, targets), index: dataset.index?.built, targets };
  if (kinds.size >= KEPT_KINDS) kinds.clear();
  opened.set(declaration, kinds.set(kind, made));
  return made.missing;
}

function make(datasets: Known, ready: ReadyDataset, targets: readonly Target[]): Missing | undefined {
  // Of a dataset that is being loaded nothing is known, so nothing is said.
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
