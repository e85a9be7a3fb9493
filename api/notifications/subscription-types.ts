import { PLATFORM_TYPES, platformType } from '../../notifications/events/catalogue.js';
import { datasetTypes } from '../../notifications/events/dataset-events.js';
import { familyOf, matchesType } from '../../notifications/events/event-type.js';
import { platformLeaves } from '../../notifications/events/platform-leaves.js';
import { eventLeavesOf } from '../../notifications/events/event-row.js';
import { parseFilter } from '../../reference/filter/index.js';
import type { Leaf } from '../../reference/dataset/dataset-leaves.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Problem } from '../../platform/kinds/problem.js';
import type { SubscriptionSpec, SubscriptionStatus } from '../../notifications/kinds/subscription.js';

type Declarations = SubscriptionStatus['declarations'];

/** Expands the requested types, including families such as `dataset.positions.*`. */
export function typesOf({ types }: Pick<SubscriptionSpec, 'types'>, declarations: Declarations): string[] {
  const declared = Object.entries(declarations).flatMap(([name, spec]) => datasetTypes(name, spec));
  const all = [...declared, ...PLATFORM_TYPES].map(({ type }) => type);
  return all.filter((type) => types.some((name) => matchesType(name, type)));
}

/**
 * Selects the requested types that a filter applies to: their schema has its fields.
 * @throws filter.invalid when there is none, or a type has the fields and takes them otherwise
 */
export function filteredTypes(spec: Pick<SubscriptionSpec, 'types' | 'filter'>, declarations: Declarations): string[] {
  const { filter } = spec;
  if (filter === null) return [];
  const types = typesOf(spec, declarations).filter((type) => leavesOf(type, declarations) !== undefined);
  let misfit: { type: string; problems: readonly Problem[] } | undefined;
  const applies = types.filter((type) => {
    const target = { dataset: familyOf(type), leaves: leavesOf(type, declarations) ?? new Map<string, Leaf>() };
    const result = parseFilter(filter, target, { parameter: 'filter' });
    if (result.ok) return true;
    if (result.problems.some(({ code }) => code !== 'filter.unknown_field')) throw unusable(type, result.problems);
    misfit ??= { type, problems: result.problems };
    return false;
  });
  if (applies.length > 0) return applies;
  if (misfit !== undefined) throw unusable(misfit.type, misfit.problems);
  throw new SlipwayError('filter.invalid', 'none of the types has fields to filter by');
}

const NO_ROW = ['schema_changed', 'imported'];

/** @returns the fields that a filter of a type can name; `undefined`: it has none */
export function leavesOf(type: string, declarations: Declarations): ReadonlyMap<string, Leaf> | undefined {
  const [, dataset = '', change] = type.split('.');
  const declared = type.startsWith('dataset.') && !NO_ROW.includes(change ?? '') ? declarations[dataset] : undefined;
  return declared ? eventLeavesOf(declared) : platformType(type) && platformLeaves(type);
}

const unusable = (type: string, problems: readonly Problem[]): SlipwayError =>
  new SlipwayError('filter.invalid', `the filter does not fit ${type}`, { problems });
