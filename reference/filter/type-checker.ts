import type { Leaf } from '../dataset/dataset-leaves.js';
import type { GeoPoint, GeoPoints } from '../dataset/geo-point.js';
import { unreachable } from '../../platform/kinds/errors.js';
import { parseText, type Scalar, VALUE_WORDS } from '../rows/value.js';
import type { Condition, Filter, Near } from './filter.js';
import { toPattern } from './like-pattern.js';
import { NEAR_VALUES } from './near.js';
import { NEAR, type Operator, operatorOf, OPERATORS, operatorsFor } from './operators.js';
import { type Problems, quoteForMessage } from './problems.js';
import { suggest } from './suggestion.js';
import type { Comparison, Junction, Syntax } from './syntax.js';
import { quote, type Token, valueOf } from './tokens.js';

/** The dataset that a filter is typed against. */
export interface FilterTarget {
  /** Name of the dataset, for messages. */
  dataset: string;
  leaves: ReadonlyMap<string, Leaf>;
  /** Without any, no condition `=near=` is accepted. */
  points?: GeoPoints;
}

/** Most enum values that a problem lists. */
const MOST_VALUES = 50;

/** A class rather than closures, for the same reason as the parser. */
export class TypeChecker {
  private readonly target: FilterTarget;
  private readonly problems: Problems;

  constructor(target: FilterTarget, problems: Problems) {
    this.target = target;
    this.problems = problems;
  }

  /** Resolves every field and types every value. @returns undefined when a problem was added */
  type(syntax: Syntax): Filter | undefined {
    switch (syntax.kind) {
      case 'comparison':
        return this.typeComparison(syntax);
      case 'not': {
        const term = this.type(syntax.term);
        return term && { ...syntax, term };
      }
      case 'and':
      case 'or':
        return this.typeJunction(syntax);
      default:
        return unreachable(syntax);
    }
  }

  private typeJunction({ kind, terms, start, end }: Junction): Filter | undefined {
    const typed = terms.map((term) => this.type(term)).filter((term) => term !== undefined);
    if (typed.length < terms.length) return undefined;
    // `(a and b) and c` is `a and b and c`.
    return { kind, terms: typed.flatMap((term) => (term.kind === kind ? term.terms : [term])), start, end };
  }

  private typeComparison(comparison: Comparison): Condition | Near | undefined {
    const { selector, operator: written, values, start, end } = comparison;
    if (written.raw === NEAR) return this.typeNear(comparison);
    const leaf = this.findLeaf(selector);
    const operator = operatorOf(written.raw);
    if (leaf === undefined || operator === undefined) return undefined;
    if (!this.fits(comparison, operator, leaf)) return undefined;
    const typed = values.map((value) => this.typeValue(value, operator, leaf)).filter((value) => value !== undefined);
    return typed.length < values.length ? undefined : { kind: 'condition', leaf, operator, values: typed, start, end };
  }

  private typeNear({ selector, values, start, end }: Comparison): Near | undefined {
    const point = this.findPoint(selector);
    if (values.length !== NEAR_VALUES.length) {
      const message =
        values.length < NEAR_VALUES.length
          ? `the ${NEAR_VALUES[values.length]?.name} is missing: ${NEAR} takes (latitude, longitude, radius in metres)`
          : `${NEAR} takes three values: (latitude, longitude, radius in metres)`;
      this.problems.add('syntax', { start: values[0]?.start ?? end, end }, message);
      return undefined;
    }
    const numbers = NEAR_VALUES.map((range, at) => this.typeInRange(values[at], range));
    const [latitude, longitude, radius] = numbers;
    if (point === undefined || latitude === undefined || longitude === undefined || radius === undefined)
      return undefined;
    return { kind: 'near', point, latitude, longitude, radius, start, end };
  }

  private findPoint(selector: Token): GeoPoint | undefined {
    const { dataset, leaves, points = new Map<string, GeoPoint>() } = this.target;
    const point = points.get(selector.raw);
    if (point !== undefined) return point;
    const isField = leaves.has(selector.raw);
    const written = quoteForMessage(selector.raw);
    const message = isField
      ? `${NEAR} applies to points, and ${selector.raw} is a field: declare it in points of the dataset`
      : `${dataset} has no point ${written}: points of the declaration has their names`;
    const hints = { expected: [...points.keys()], suggestion: () => suggest(selector.raw, points.keys()) };
    this.problems.add(isField ? 'bad_type' : 'unknown_field', selector, message, hints);
    return undefined;
  }

  private typeInRange(token: Token | undefined, { name, from, to }: (typeof NEAR_VALUES)[number]): number | undefined {
    if (token === undefined) return undefined;
    const value = parseText(valueOf(token), { type: 'decimal' });
    if (typeof value === 'number' && value >= from && value <= to) return value;
    this.problems.add('bad_type', token, `the ${name} is a number from ${from} to ${to}`, { expected: ['number'] });
    return undefined;
  }

  private findLeaf(selector: Token): Leaf | undefined {
    const { dataset, leaves } = this.target;
    const leaf = leaves.get(selector.raw);
    if (leaf?.filterable) return leaf;
    if (leaf !== undefined) {
      this.problems.add('not_filterable', selector, `${dataset}.${leaf.path} is declared as not filterable`);
      return undefined;
    }
    if (this.target.points?.has(selector.raw) === true) {
      const message = `${selector.raw} is a point: only ${NEAR} applies to it`;
      this.problems.add('bad_type', selector, message, { expected: [NEAR] });
      return undefined;
    }
    const paths = [...leaves.values()].flatMap(({ path, filterable }) => (filterable ? path : []));
    const members = paths.filter((path) => path.startsWith(`${selector.raw}.`));
    if (members.length > 0) {
      const hints = { expected: members, suggestion: () => members[0] };
      this.problems.add('unknown_field', selector, `${selector.raw} is an object: name a member of it`, hints);
    } else {
      const message = `${dataset} has no field ${quoteForMessage(selector.raw)}`;
      this.problems.add('unknown_field', selector, message, { suggestion: () => suggest(selector.raw, paths) });
    }
    return undefined;
  }

  /** Checks that the operator applies to the field and has the right number of values. */
  private fits({ operator: written, values, end }: Comparison, operator: Operator, { path, type }: Leaf): boolean {
    const { types, values: count } = OPERATORS[operator];
    if (!types.includes(type)) {
      const hints = { expected: operatorsFor(type) };
      this.problems.add('bad_type', written, `${written.raw} does not apply to ${path}, which is ${type}`, hints);
      return false;
    }
    if (count === 'many' || values.length === (count === 'one' ? 1 : 2)) return true;
    const at = { start: values[0]?.start ?? end, end };
    this.problems.add(
      'syntax',
      at,
      `${written.raw} takes ${count === 'one' ? 'one value' : 'two values in parentheses'}`,
    );
    return false;
  }

  private typeValue(token: Token, operator: Operator, leaf: Leaf): Scalar | undefined {
    const written = valueOf(token);
    if (operator === '=null=') {
      const value = parseText(written, { type: 'boolean' });
      if (value === undefined) {
        this.problems.add('bad_type', token, '=null= takes true or false', { expected: ['true', 'false'] });
      }
      return value;
    }
    if (leaf.type === 'text' && operator !== '=like=' && token.kind === 'word' && written.includes('*')) {
      const message = 'a bare * has no meaning here: use =like= or quote it';
      this.problems.add('syntax', token, message, { suggestion: () => quote(written) });
      return undefined;
    }
    const value = parseText(operator === '=like=' ? toPattern(token) : written, leaf);
    if (value === undefined) this.refuseValue(token, written, leaf);
    return value;
  }

  private refuseValue(token: Token, written: string, { path, type, values }: Leaf): void {
    if (values !== undefined) {
      const hints = { expected: values.slice(0, MOST_VALUES), suggestion: () => suggest(written, values) };
      const message = `${this.target.dataset}.${path} has no value ${quoteForMessage(written)}`;
      this.problems.add('bad_enum', token, message, hints);
      return;
    }
    // The range of ids only helps a client that wrote a number.
    const words = type === 'id' && !/\d/.test(written) ? 'an integer' : VALUE_WORDS[type];
    this.problems.add('bad_type', token, `${path} takes ${words}`, { expected: [EXPECTED[type]] });
  }
}

// prettier-ignore
const EXPECTED = {
  text: 'text', enum: 'text', integer: 'integer', id: 'integer', decimal: 'number', boolean: 'true or false',
  date: 'date', timestamp: 'timestamp',
} as const;
