import { unreachable } from '../../platform/kinds/errors.js';
import type { Condition, Filter } from './filter.js';
import { NEAR, OPERATORS } from './operators.js';
import { quote } from './tokens.js';

/**
 * Returns the one text of all filters with the same conditions in the same order; it parses to the same filter. Caches
 * and page tokens are keyed by it, and clients see in it how their filter was understood.
 */
export function canonicalText(filter: Filter): string {
  const known = texts.get(filter);
  if (known !== undefined) return known;
  const text = textOf(filter);
  texts.set(filter, text);
  return text;
}

const texts = new WeakMap<Filter, string>();

function textOf(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
      return filter.terms.map((term) => (term.kind === 'or' ? `(${textOf(term)})` : textOf(term))).join(' and ');
    case 'or':
      return filter.terms.map(textOf).join(' or ');
    case 'not':
      return `not(${textOf(filter.term)})`;
    case 'near':
      return `${filter.point.name} ${NEAR} (${filter.latitude}, ${filter.longitude}, ${filter.radius})`;
    case 'condition':
      return conditionText(filter);
    default:
      return unreachable(filter);
  }
}

function conditionText({ leaf, operator, values }: Condition): string {
  // A pattern is quoted, so that its backslashes are not read as escapes.
  const texts = values.map((value) => (operator === '=like=' ? quotePattern(String(value)) : quote(String(value))));
  const list = OPERATORS[operator].values !== 'one';
  return `${leaf.path} ${operator} ${list ? `(${texts.join(', ')})` : texts.join('')}`;
}

const quotePattern = (pattern: string): string =>
  /^[^\s"'();,=!~<>\\]+$/u.test(pattern) ? pattern : `"${pattern.replaceAll('"', '\\"')}"`;
