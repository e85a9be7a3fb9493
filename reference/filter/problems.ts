import type { Problem } from '../../platform/kinds/problem.js';
import { FILTER_LIMITS } from './limits.js';
import type { Span } from './tokens.js';

type FilterProblemCode =
  | 'syntax'
  | 'unknown_field'
  | 'unknown_operator'
  | 'not_filterable'
  | 'bad_type'
  | 'bad_enum'
  | 'too_long'
  | 'too_deep'
  | 'too_many_terms'
  | 'too_many_values'
  | 'empty';

interface Hints {
  expected?: readonly string[];
  /** Not called for problems beyond the limit: finding a suggestion costs more than the rest. */
  suggestion?: () => string | undefined;
}

/** Types are checked after parsing, so the first problem in the text may be found last. */
const MOST = 2 * FILTER_LIMITS.problems;

/** Collects the problems of one filter. */
export interface Problems {
  add(code: FilterProblemCode, at: Span, message: string, hints?: Hints): void;
  /** Whether further problems would not be listed. */
  isFull(): boolean;
  /** Problems in text order, at most as many as a response lists. */
  all(): Problem[];
}

export function createProblems(text: string, parameter: string): Problems {
  const found: Problem[] = [];
  return {
    add(code, { start, end }, message, { expected, suggestion } = {}) {
      if (found.length >= MOST) return;
      const suggested = suggestion?.();
      const before = text.slice(0, start).split('\n');
      const line = before.length;
      found.push({
        code: `filter.${code}`,
        message,
        parameter,
        position: { offset: start, length: end - start, line, column: (before.at(-1)?.length ?? 0) + 1 },
        ...(expected && { expected }),
        ...(suggested !== undefined && { suggestion: suggested }),
      });
    },
    isFull() {
      return found.length >= MOST;
    },
    all() {
      return found
        .toSorted((one, other) => (one.position?.offset ?? 0) - (other.position?.offset ?? 0))
        .slice(0, FILTER_LIMITS.problems);
    },
  };
}

/** Quotes a text of the client for a message, shortened. */
export function quoteForMessage(written: string): string {
  const characters = [...written];
  return `'${characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : written}'`;
}
