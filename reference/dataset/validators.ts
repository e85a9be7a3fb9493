import { setImmediate as turn } from 'node:timers/promises';
import { leavesOf } from './dataset-leaves.js';
import type { DatasetSpec, DatasetValidator } from './dataset.js';
import { unreachable } from '../../platform/kinds/errors.js';
import { parseStoredRow } from '../columns/index.js';
import { valueAt } from '../columns/stored-row.js';
import { referencesIn } from './references.js';
import { parseRow } from '../rows/row-validation.js';

/** A state of a whole dataset that readers do not see yet, with the one that they see. */
export interface NewState {
  spec: DatasetSpec;
  /** Rows that readers see now. */
  before: number;
  /** Texts of the new rows. */
  bodies: Iterable<string>;
  /** Whether a row of another dataset, or of the new state, has this id. */
  exists: (dataset: string, id: bigint) => boolean;
}

interface Check {
  visit?: (body: string) => void;
  /** @returns a sentence on why the state must not be served */
  validate: (rows: number) => string | undefined;
}

/** Rows examined before the loop yields. */
const SLICE = 2_000;

/** Runs the validators of a declaration on a new state. @returns one sentence per problem */
export async function validateState(state: NewState): Promise<string[]> {
  const checks = state.spec.validators.map((validator) => createCheck(validator, state));
  const looking = checks.flatMap(({ visit: look }) => look ?? []);
  let rows = 0;
  for (const body of state.bodies) {
    rows += 1;
    if (rows % SLICE === 0) await turn();
    for (const look of looking) look(body);
  }
  return checks.flatMap(({ validate }) => validate(rows) ?? []);
}

/** Validates the share of rows to be deleted, before any is deleted. */
export function dropProblem({ validators }: DatasetSpec, { before, after }: { before: number; after: number }) {
  const limits = validators.flatMap((each) => (each.rule === 'max_drop_percent' ? each.value : []));
  const percent = before === 0 ? 0 : ((before - after) / before) * 100;
  const limit = Math.min(...limits);
  return percent > limit
    ? `${percent.toFixed(1)} % of ${before} rows would be gone, at most ${limit} % may`
    : undefined;
}

function createCheck(validator: DatasetValidator, { spec, before, exists }: NewState): Check {
  const { rule } = validator;
  switch (rule) {
    case 'row_count': {
      const { min, max } = validator;
      return {
        validate(rows) {
          if (rows < min) return `there would be ${rows} rows, at least ${min} must be`;
          return max !== null && rows > max ? `there would be ${rows} rows, at most ${max} may be` : undefined;
        },
      };
    }
    case 'max_drop_percent':
      return { validate: (rows) => dropProblem({ ...spec, validators: [validator] }, { before, after: rows }) };
    case 'unique':
      return createUnique(validator.field, spec);
    case 'references':
      return createReferences(validator.max_missing, { spec, exists });
    default:
      return unreachable(rule);
  }
}

function createUnique(field: string, spec: DatasetSpec): Check {
  const leaf = leavesOf(spec).get(field);
  const seen = new Set<unknown>();
  let doubled: string | undefined;
  return {
    visit(body) {
      const value = leaf && valueAt(parseStoredRow(body), leaf);
      if (typeof value === 'object' || value === undefined) return; // a list has no one value
      if (seen.has(value)) doubled ??= JSON.stringify(value);
      seen.add(value);
    },
    validate: () => (doubled === undefined ? undefined : `two rows would have ${field} ${doubled}`),
  };
}

function createReferences(most: number, { spec, exists }: Pick<NewState, 'spec' | 'exists'>): Check {
  let missing = 0;
  return {
    visit(body) {
      const content = parseRow(spec, body)?.content ?? {};
      for (const { dataset, id } of referencesIn(spec, content)) if (!exists(dataset, id)) missing += 1;
    },
    validate: () => (missing > most ? `${missing} references would lead to nothing, at most ${most} may` : undefined),
  };
}
