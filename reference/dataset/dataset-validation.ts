import type { z } from 'zod';
import { FIELD_LIMITS, type Field, type Fields } from './dataset-field.js';
import { type Leaf, leavesOf } from './dataset-leaves.js';
import { datasetNameProblem } from './dataset-names.js';
import { type Dataset, DatasetSpec } from './dataset.js';
import { distancePath } from './geo-point.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { MOST_PROBLEMS, type Problem, toPointer } from '../../platform/kinds/problem.js';

/**
 * Reads a declaration `{kind?, id?, spec}`. That the datasets exist which it refers to is for the caller to look up:
 * `referencesOf`.
 * @param id from the path; one in the body must equal it
 * @throws dataset.invalid with every problem found
 */
export function acceptDataset(id: string, body: unknown): Dataset {
  const problems = isRecord(body) ? envelopeProblems(id, body) : [problem([], 'must be an object')];
  const result = DatasetSpec.safeParse(isRecord(body) ? body.spec : undefined);
  if (isRecord(body) && !result.success) problems.push(...result.error.issues.flatMap(toProblems));
  if (result.success) problems.push(...specProblems(result.data));
  if (problems.length === 0 && result.success) return { kind: 'Dataset', id, spec: result.data };
  throw new SlipwayError('dataset.invalid', `the declaration of dataset "${id.slice(0, 63)}" has problems`, {
    problems: problems.slice(0, MOST_PROBLEMS),
  });
}

/** Every dataset that a row of this one may refer to. */
export function referencesOf(spec: DatasetSpec): ReadonlySet<string> {
  return new Set([...leavesOf(spec).values()].flatMap(({ dataset }) => dataset ?? []));
}

const problem = (path: readonly PropertyKey[], message: string): Problem => ({
  code: 'dataset.invalid',
  pointer: toPointer(path),
  message,
});

function envelopeProblems(id: string, { kind = 'Dataset', id: own = id }: Record<string, unknown>): Problem[] {
  const name = datasetNameProblem(id);
  return [
    ...(kind === 'Dataset' ? [] : [problem(['kind'], 'must be Dataset')]),
    ...(own === id ? [] : [problem(['id'], `must be the name in the path, ${id.slice(0, 63)}`)]),
    ...(name === undefined ? [] : [problem(['id'], name)]),
  ];
}

function toProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = ['spec', ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => problem([...path, key], 'is not known here'));
  return [problem(path, issue.message)];
}

function specProblems(spec: DatasetSpec): Problem[] {
  const { fields, lookup, points = {}, validators } = spec;
  const leaves = leavesOf(spec);
  const problems: Problem[] = [];
  const check = (at: readonly PropertyKey[], path: string, fits: Fit) => {
    const message = misuse(leaves.get(path), path, fits);
    if (message !== undefined) problems.push(problem(['spec', ...at], message));
  };
  if (countFields(fields) > FIELD_LIMITS.fields) {
    problems.push(
      problem(['spec', 'fields'], `must have at most ${FIELD_LIMITS.fields} fields on all levels together`),
    );
  }
  lookup?.fields.forEach((path, at) => check(['lookup', 'fields', at], path, NAMES));
  lookup?.aliases.forEach((path, at) => check(['lookup', 'aliases', at], path, ALIASES));
  if (typeof lookup?.weight === 'string') check(['lookup', 'weight'], lookup.weight, WEIGHTS);
  for (const [name, paths] of Object.entries(points)) {
    check(['points', name, 'latitude'], paths.latitude, DEGREES);
    check(['points', name, 'longitude'], paths.longitude, DEGREES);
    for (const path of [name, distancePath(name)]) {
      if (leaves.has(path)) problems.push(problem(['spec', 'points', name], `"${path}" is a field already`));
    }
  }
  validators.forEach((validator, at) => {
    if (validator.rule === 'unique') check(['validators', at, 'field'], validator.field, UNIQUE);
    if (validator.rule === 'row_count' && validator.max !== null && validator.max < validator.min) {
      problems.push(problem(['spec', 'validators', at, 'max'], 'must not be below min'));
    }
  });
  return problems;
}

interface Fit {
  words: string;
  test: (leaf: Leaf) => boolean;
}
const isWords = ({ type }: Leaf) => type === 'text' || type === 'enum';
const NAMES: Fit = { words: 'a text or an enum', test: (leaf) => isWords(leaf) && !leaf.list };
const ALIASES: Fit = { words: 'a text, an enum or a list of them', test: isWords };
const WEIGHTS: Fit = {
  words: 'an integer or a decimal',
  test: ({ type, list }) => (type === 'integer' || type === 'decimal') && !list,
};
const DEGREES: Fit = {
  words: 'a decimal that can be filtered, no list',
  test: ({ type, list, filterable }) => type === 'decimal' && !list && filterable,
};
const UNIQUE: Fit = { words: 'one value, no list', test: ({ list }) => !list };

function misuse(leaf: Leaf | undefined, path: string, { words, test }: Fit): string | undefined {
  if (leaf === undefined) return `there is no field "${path}"`;
  return test(leaf) ? undefined : `"${path}" must be ${words}`;
}

const countFields = (fields: Fields): number =>
  Object.values(fields).reduce(
    (sum, field: Field) => sum + 1 + (field.type === 'object' ? countFields(field.fields) : 0),
    0,
  );
