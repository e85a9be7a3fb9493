import { setImmediate as turn } from 'node:timers/promises';
import { narrowings } from '../dataset/compatibility.js';
import { acceptsRow } from '../rows/row-validation.js';
import { referenceLeavesOf } from '../dataset/references.js';
import type { Declaration } from '../dataset/replica.js';
import { referencesOf } from '../dataset/dataset-validation.js';
import type { DatasetSpec } from '../dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Problem } from '../../platform/kinds/problem.js';
import type { Datasets } from './datasets.js';
import type { LiveDataset } from './live-dataset.js';

interface DeclareRequest {
  name: string;
  spec: DatasetSpec;
  actor: string;
  /** Allows a narrower declaration if every stored row fits it. */
  force: boolean;
  /** Throws when the current declaration is not as the caller expects. */
  check?: (current: Declaration | undefined) => void;
}

interface DeclareResult {
  declaration: Declaration;
  outcome: 'created' | 'changed' | 'unchanged';
}

/** Creates, changes and drops declarations. */
export interface Declarations {
  /** @throws dataset.invalid for a reference to nothing; dataset.schema_conflict; import.running */
  declare(declare: DeclareRequest): Promise<DeclareResult>;
  /** Declares a dataset that never had a declaration; does nothing for one that was changed or dropped since. */
  declareFirst(declare: Pick<DeclareRequest, 'name' | 'spec' | 'actor'>): Promise<void>;
  /** @throws dataset.not_found; entity.restricted while another dataset refers to it; import.running */
  drop(drop: Pick<DeclareRequest, 'name' | 'actor' | 'check'>): Promise<void>;
}

/** Rows examined before the loop yields. */
const SLICE = 2_000;
const MOST_CONFLICTS = 20;

export function createDeclarations({ datasets }: { datasets: Datasets }): Declarations {
  function requireTargets(name: string, spec: DatasetSpec): void {
    const declared = new Set(
      datasets.all().flatMap((dataset) => (dataset.replica.declaration === undefined ? [] : [dataset.name])),
    );
    const missing = [...referencesOf(spec)].filter((target) => target !== name && !declared.has(target));
    if (missing.length === 0) return;
    throw new SlipwayError('dataset.invalid', `reference to undeclared dataset: ${missing.join(', ')}`);
  }

  return {
    async declare({ name, spec, actor, force, check }) {
      requireTargets(name, spec);
      const dataset = await datasets.open(name);
      check?.(dataset.replica.declaration);
      const validated = await validateRows(dataset, spec, force);
      let outcome: DeclareResult['outcome'] = 'unchanged';
      await dataset.follower.append(() => {
        const { declaration, generation, heldBy } = dataset.replica;
        check?.(declaration);
        if (declaration !== undefined && isEqual(declaration.spec, spec)) return undefined;
        requireFree(name, heldBy);
        // Later rows and declarations are validated here, inside of the append, where no entry can come between.
        const narrowed = narrowedBy(declaration, spec, force);
        if (narrowed) refuseConflicts(conflictsIn(dataset, spec, validated.position));
        outcome = declaration === undefined ? 'created' : 'changed';
        const before = declaration && { before: declaration.position };
        return { kind: 'schema', spec, schema: generation + 1, ...before, actor, ...(narrowed && { rewrite: true }) };
      });
      const { declaration } = dataset.replica;
      if (declaration === undefined)
        throw new SlipwayError('write.conflict', `dataset "${name}" was deleted meanwhile`);
      return { declaration, outcome };
    },

    async declareFirst({ name, spec, actor }) {
      const dataset = await datasets.open(name);
      if (dataset.replica.generation > 0) return;
      requireTargets(name, spec);
      await dataset.follower.append(() =>
        dataset.replica.generation > 0 ? undefined : { kind: 'schema', spec, schema: 1, actor },
      );
    },

    async drop({ name, actor, check }) {
      const { dataset } = datasets.get(name);
      await dataset.follower.append(() => {
        const { declaration, heldBy } = datasets.get(name).dataset.replica;
        check?.(declaration);
        requireFree(name, heldBy);
        const referring = datasets.all().find((other) => other.name !== name && refersTo(other, name));
        if (referring) throw new SlipwayError('entity.restricted', `dataset "${referring.name}" refers to "${name}"`);
        return { kind: 'dropped', actor };
      });
    },
  };
}

const isEqual = (one: DatasetSpec, other: DatasetSpec): boolean => JSON.stringify(one) === JSON.stringify(other);

function requireFree(name: string, heldBy: string | undefined): void {
  if (heldBy !== undefined) throw new SlipwayError('import.running', `import ${heldBy} holds ${name}`);
}

const refersTo = ({ replica: { declaration } }: LiveDataset, name: string): boolean =>
  declaration !== undefined && referenceLeavesOf(declaration.spec).some((leaf) => leaf.dataset === name);

/** @throws dataset.schema_conflict unless it is forced. @returns whether the declaration is narrower */
function narrowedBy(declaration: Declaration | undefined, spec: DatasetSpec, force: boolean): boolean {
  const found = declaration === undefined ? [] : narrowings(declaration.spec.fields, spec.fields);
  if (found.length > 0 && !force) {
    throw new SlipwayError('dataset.schema_conflict', `only with force=true: ${found.slice(0, 5).join('; ')}`);
  }
  return found.length > 0;
}

/** Validates every row, a slice at a time. @returns the position up to which there was no conflict */
async function validateRows(dataset: LiveDataset, spec: DatasetSpec, force: boolean): Promise<{ position: number }> {
  const { replica } = dataset;
  const { position, rows } = replica;
  if (!narrowedBy(replica.declaration, spec, force)) return { position };
  const conflicts: Problem[] = [];
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    if (row % SLICE === SLICE - 1) await turn();
    conflicts.push(...conflictOf(dataset, spec, row));
    if (conflicts.length >= MOST_CONFLICTS) break;
  }
  refuseConflicts(conflicts);
  return { position };
}

function conflictsIn(dataset: LiveDataset, spec: DatasetSpec, after: number): Problem[] {
  const { rows } = dataset.replica;
  const conflicts: Problem[] = [];
  for (let row = 0; row < rows.end() && conflicts.length < MOST_CONFLICTS; row += 1) {
    if (rows.from(row) > after) conflicts.push(...conflictOf(dataset, spec, row));
  }
  return conflicts;
}

function conflictOf({ name, replica: { rows } }: LiveDataset, spec: DatasetSpec, row: number): Problem[] {
  if (rows.isDeleted(row) || rows.find(rows.id(row)) !== row) return [];
  if (acceptsRow(spec, rows.bytes(row).toString())) return [];
  return [{ code: 'dataset.schema_conflict', message: `${name} ${rows.id(row)} does not fit the new declaration` }];
}

function refuseConflicts(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new SlipwayError('dataset.schema_conflict', 'stored rows do not fit the new declaration', { problems });
}
