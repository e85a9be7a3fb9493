import { LRUCache } from 'lru-cache';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Problem } from '../../platform/kinds/problem.js';
import { createDoorkeeper } from './doorkeeper.js';
import type { Filter } from './filter.js';
import { parseSyntax } from './parser.js';
import { createProblems } from './problems.js';
import { type FilterTarget, TypeChecker } from './type-checker.js';

export { canonicalText } from './canonical-text.js';
export { explainFilter } from './explanation.js';
export type { Condition, Filter } from './filter.js';
export type { Operator } from './operators.js';
export type { FilterTarget } from './type-checker.js';

export type FilterResult = { ok: true; filter: Filter } | { ok: false; problems: Problem[] };

const MOST_KEPT = 1_000;

/**
 * Cache of parsed filters of a declaration. Clients repeat the same texts; a text is cached from its second use on,
 * since caching a text used once costs more than parsing it: it ages before it is dropped.
 */
interface Known {
  filters: LRUCache<string, Filter>;
  comesAgain: (text: string) => boolean;
}
const known = new WeakMap<FilterTarget['leaves'], Known>();
const kept = new WeakSet<Filter>();

/** Whether the same filter object is returned again for the same text. */
export const isKept = (filter: Filter): boolean => kept.has(filter);

/** Parses a filter against a dataset; `parameter` is the query parameter named in problems. */
export function parseFilter(text: string, target: FilterTarget, { parameter = 'q' } = {}): FilterResult {
  const { filters, comesAgain } = knownOf(target);
  const read = filters.get(text);
  if (read !== undefined) return { ok: true, filter: read };
  const problems = createProblems(text, parameter);
  const { tree, comparisons } = parseSyntax(text, problems);
  const typing = new TypeChecker(target, problems);
  const filter = tree && typing.type(tree);
  if (filter !== undefined) {
    if (comesAgain(text)) {
      filters.set(text, filter);
      kept.add(filter);
    }
    return { ok: true, filter };
  }
  // The tree is incomplete: type what could be parsed, to report more problems at once.
  if (tree === undefined) comparisons.forEach((comparison) => typing.type(comparison));
  return { ok: false, problems: problems.all() };
}

function knownOf({ leaves }: FilterTarget): Known {
  const before = known.get(leaves);
  if (before !== undefined) return before;
  const made = { filters: new LRUCache<string, Filter>({ max: MOST_KEPT }), comesAgain: createDoorkeeper() };
  known.set(leaves, made);
  return made;
}

/** As `parseFilter`. @throws filter.invalid */
export function requireFilter(text: string, target: FilterTarget, options: { parameter?: string } = {}): Filter {
  const result = parseFilter(text, target, options);
  if (result.ok) return result.filter;
  const { problems } = result;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new SlipwayError('filter.invalid', `${count} in ${options.parameter ?? 'q'}`, { problems });
}
