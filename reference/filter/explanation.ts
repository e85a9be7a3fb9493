import { unreachable } from '../../platform/kinds/errors.js';
import type { Condition, Filter } from './filter.js';
import type { Operator } from './operators.js';

/** Adds a note to a condition, such as the access path. */
export type Notes = (condition: Condition) => string | undefined;

// prettier-ignore
const WORDS: Readonly<Record<Operator, readonly [negation: boolean, verb: string]>> = {
  '==':        [false, 'is'],
  '!=':        [true,  'is'],
  '<':         [false, 'is less than'],
  '<=':        [false, 'is at most'],
  '>':         [false, 'is greater than'],
  '>=':        [false, 'is at least'],
  '=in=':      [false, 'is one of'],
  '=out=':     [true,  'is one of'],
  '=null=':    [false, 'is absent'],
  '=like=':    [false, 'is like'],
  '=between=': [false, 'is between'],
};
const MOST_VALUES = 5;

/** Describes a filter in words: one line per condition, terms of one junction with the same indent. */
export const explainFilter = (filter: Filter, notes: Notes = () => undefined): string =>
  lines(filter, notes).join('\n');

function lines(filter: Filter, notes: Notes): string[] {
  const indent = (terms: readonly Filter[]) => terms.flatMap((term) => lines(term, notes).map((line) => `  ${line}`));
  switch (filter.kind) {
    case 'and':
      return ['all of', ...indent(filter.terms)];
    case 'or':
      return ['any of', ...indent(filter.terms)];
    case 'not':
      return ['not', ...indent([filter.term])];
    case 'near':
      return [`${filter.point.name} is at most ${filter.radius} m from ${filter.latitude}, ${filter.longitude}`];
    case 'condition': {
      const note = notes(filter);
      return [`${conditionWords(filter)}${note === undefined ? '' : ` (${note})`}`];
    }
    default:
      return unreachable(filter);
  }
}

function conditionWords({ leaf: { path, list }, operator, values }: Condition): string {
  if (operator === '=null=') return `${path} is ${values[0] === true ? 'absent' : 'present'}`;
  const shown = values
    .slice(0, MOST_VALUES)
    .map((value) => (typeof value === 'string' ? JSON.stringify(value) : `${value}`));
  const more = values.length > MOST_VALUES ? ` and ${values.length - MOST_VALUES} more` : '';
  const object = `${shown.join(operator === '=between=' ? ' and ' : ', ')}${more}`;
  const [negation, verb] = WORDS[operator];
  if (negation)
    return `${path} is present and ${list ? `no entry of it ${verb}` : verb.replace('is', 'is not')} ${object}`;
  return `${list ? `an entry of ${path}` : path} ${verb} ${object}`;
}
