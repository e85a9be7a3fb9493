import { FILTER_LIMITS } from './limits.js';
import { foreignOperator, operatorOf, operatorSpellings } from './operators.js';
import { type Problems, told } from './problems.js';
import { suggest } from './suggestion.js';
import type { Comparison, Syntax } from './syntax.js';
import { createTokens, quote, type Token, valueOf } from './tokens.js';

const LOGIC = ['and', 'or'] as const;
const END = 'the end of the filter';

export interface Parsed {
  /** Undefined when a problem was added. */
  tree?: Syntax | undefined;
  /** Those that could be read, whatever else is wrong. */
  comparisons: readonly Comparison[];
}

/**
 * Parses by recursive descent: `or` of `and` of comparisons, parentheses and `not( )`. After a mistake it goes on behind
 * the term in which it stands, so that one answer tells of several; what passes a limit ends it.
 */
export function parseSyntax(text: string, problems: Problems): Parsed {
  const whole = { start: 0, end: text.length };
  if (text.length > FILTER_LIMITS.bytes || Buffer.byteLength(text) > FILTER_LIMITS.bytes) {
    problems.add('too_long', whole, `a filter has at most ${FILTER_LIMITS.bytes} bytes`);
    return { comparisons: [] };
  }
  const tokenAt = createTokens(text);
  if (tokenAt(0).kind === 'end') {
    problems.add('empty', whole, 'the filter is empty', { expected: ['a field'] });
    return { comparisons: [] };
  }
  return createParser(tokenAt, problems).parse();
}

function createParser(tokenAt: (index: number) => Token, problems: Problems) {
  let at = 0;
  let depth = 0;
  let terms = 0;
  let sound = true;
  let stopped = false;
  const comparisons: Comparison[] = [];

  const peek = (ahead = 0): Token => (stopped ? END_OF_STOPPED : tokenAt(at + ahead));
  const next = (): Token => {
    const token = peek();
    if (token.kind !== 'end') at += 1;
    return token;
  };
  const fail = (...problem: Parameters<Problems['add']>): undefined => {
    sound = false;
    problems.add(...problem);
    stopped ||= problems.isFull();
  };
  /** A limit is passed: nothing behind it is looked at. */
  const stop = (...problem: Parameters<Problems['add']>): undefined => {
    fail(...problem);
    stopped = true;
  };

  function parse(): Parsed {
    let tree = parseJunction('or');
    while (peek().kind !== 'end') {
      const token = next();
      fail('syntax', token, `this ${token.raw} closes nothing`, { expected: ['and', 'or', END] });
      if (junctionOf(peek()) !== undefined) next();
      if (peek().kind !== 'end') tree = parseJunction('or');
    }
    return { tree: sound ? tree : undefined, comparisons };
  }

  function parseJunction(kind: 'and' | 'or'): Syntax | undefined {
    const found: (Syntax | undefined)[] = [];
    do found.push(kind === 'or' ? parseJunction('and') : parseTerm());
    while (junctionOf(peek()) === kind && next());
    const [first, ...others] = found.filter((term) => term !== undefined);
    const end = others.at(-1)?.end;
    return first === undefined || end === undefined
      ? first
      : { kind, terms: [first, ...others], start: first.start, end };
  }

  function parseTerm(): Syntax | undefined {
    const token = peek();
    if (token.kind === '(') return parseGroup(token);
    const negates = token.kind === 'word' && token.raw.toLowerCase() === 'not';
    if (negates && peek(1).kind === '(') {
      next();
      const term = parseGroup(peek());
      return term && { kind: 'not', term, start: token.start, end: tokenAt(at - 1).end };
    }
    if (negates && peek(1).kind !== 'operator') {
      fail('syntax', token, 'not stands before parentheses', { expected: ['not('] });
      return skipTerm();
    }
    return parseComparison();
  }

  function parseGroup(open: Token): Syntax | undefined {
    if (depth >= FILTER_LIMITS.depth) {
      return stop('too_deep', open, `parentheses nest at most ${FILTER_LIMITS.depth} deep`);
    }
    depth += 1;
    next();
    const tree = parseJunction('or');
    if (peek().kind === ')') next();
    else if (!stopped) fail('syntax', open, 'this ( is not closed', { expected: [')'] });
    depth -= 1;
    return tree;
  }

  function parseComparison(): Comparison | undefined {
    const selector = peek();
    const isName = selector.kind === 'word' && (junctionOf(selector) === undefined || peek(1).kind === 'operator');
    if (!isName) return failAt(selector, 'a field is missing', ['a field', '(', 'not(']);
    terms += 1;
    if (terms > FILTER_LIMITS.terms) {
      return stop('too_many_terms', selector, `a filter has at most ${FILTER_LIMITS.terms} comparisons`);
    }
    const changed = parseChanged();
    if (changed !== undefined && endsTerm(peek())) return holds(changed);
    if (changed === undefined) next();
    const operator = parseOperator();
    if (operator === undefined) return skipTerm();
    const values = peek().kind === '(' ? parseValues() : toList(parseValue());
    if (values === undefined) return undefined;
    const closing = tokenAt(at - 1);
    if (!endsTerm(peek())) return failBehind(closing);
    return compare({ selector: changed ?? selector, operator, values, end: closing.end });
  }

  /** `changed(<field>)`, which filters of events know: a name of its own, true or false. */
  function parseChanged(): Token | undefined {
    const [word, open, field, close] = [peek(), peek(1), peek(2), peek(3)];
    if (word.raw.toLowerCase() !== 'changed' || open.kind !== '(') return undefined;
    if (field.kind !== 'word' || close.kind !== ')') return undefined;
    at += 4;
    return { kind: 'word', raw: `changed(${field.raw})`, start: word.start, end: close.end };
  }

  /** A name that is true or false may stand alone. */
  function holds(selector: Token): Comparison {
    const { end } = selector;
    const operator: Token = { kind: 'operator', raw: '==', start: end, end };
    return compare({ selector, operator, values: [{ kind: 'word', raw: 'true', start: end, end }], end });
  }

  function compare({ selector, ...rest }: Omit<Comparison, 'kind' | 'start'>): Comparison {
    const comparison: Comparison = { kind: 'comparison', selector, ...rest, start: selector.start };
    comparisons.push(comparison);
    return comparison;
  }

  /** An unknown operator is told of and taken as one. */
  function parseOperator(): Token | undefined {
    const token = peek();
    if (token.kind === 'operator' && operatorOf(token.raw) !== undefined) return next();
    const meant = foreignOperator(token.raw);
    const expected = operatorSpellings;
    if (token.kind !== 'operator' && (token.kind !== 'word' || meant === undefined)) {
      const before = token.kind === 'end' ? '' : ` before ${told(token.raw)}`;
      return fail('syntax', token, `an operator is missing${before}`, { expected });
    }
    const suggestion = () => meant ?? suggest(token.raw, operatorSpellings);
    fail('unknown_operator', token, `there is no operator ${told(token.raw)}`, { expected, suggestion });
    return next();
  }

  /** @param inside how many parentheses of the term are open */
  function parseValue(inside = 0): Token | undefined {
    const token = peek();
    if (token.kind === 'word' || token.kind === 'quoted') return next();
    return failAt(token, 'a value is missing', ['a value'], inside);
  }

  function parseValues(): Token[] | undefined {
    const open = next();
    const values: Token[] = [];
    for (;;) {
      const value = parseValue(1);
      if (value === undefined) return undefined;
      values.push(value);
      if (values.length > FILTER_LIMITS.values) {
        return stop('too_many_values', value, `a list has at most ${FILTER_LIMITS.values} values`);
      }
      const token = peek();
      next();
      if (token.kind === ')') return values;
      if (token.kind === ',') continue;
      const expected = [',', ')'];
      if (token.kind === 'end') return fail('syntax', open, 'this ( is not closed', { expected });
      return failAt(token, `a comma is missing before ${told(token.raw)}`, expected, 1);
    }
  }

  /** Something stands behind a comparison that neither joins nor closes: most often the rest of a value with blanks. */
  function failBehind(value: Token): undefined {
    const rest: Token[] = [];
    while (isValue(peek(rest.length))) rest.push(peek(rest.length));
    const lastWord = rest.at(-1);
    if (value.kind === 'word' && lastWord !== undefined && endsTerm(peek(rest.length))) {
      const suggestion = () => quote([value, ...rest].map(valueOf).join(' '));
      const whole = { start: value.start, end: lastWord.end };
      fail('syntax', whole, 'a value with blanks must be quoted', { suggestion });
    } else {
      fail('syntax', peek(), `and or or is missing before ${told(peek().raw)}`, { expected: [...LOGIC, ')', END] });
    }
    return skipTerm();
  }

  function failAt(token: Token, message: string, expected: string[], inside = 0): undefined {
    if (token.kind === 'unclosed')
      fail('syntax', token, 'this quote is not closed', { expected: [token.raw.charAt(0)] });
    else fail('syntax', token, message, { expected });
    return skipTerm(inside);
  }

  /** Goes on to what joins or closes outside of the parentheses that are open inside the term. */
  function skipTerm(inside = 0): undefined {
    for (let open = inside; peek().kind !== 'end' && (open > 0 || !endsTerm(peek()));) {
      const { kind } = next();
      open += kind === '(' ? 1 : kind === ')' ? -1 : 0;
    }
  }

  return { parse };
}

/** What a parser sees that has given up. */
const END_OF_STOPPED: Token = { kind: 'end', raw: '', start: 0, end: 0 };

const toList = (token: Token | undefined): Token[] | undefined => token && [token];

const isValue = (token: Token): boolean =>
  token.kind === 'quoted' || (token.kind === 'word' && junctionOf(token) === undefined);

const endsTerm = (token: Token): boolean =>
  token.kind === 'end' || token.kind === ')' || junctionOf(token) !== undefined;

function junctionOf({ kind, raw }: Token): 'and' | 'or' | undefined {
  if (kind === ';') return 'and';
  if (kind === ',') return 'or';
  return kind === 'word' ? LOGIC.find((word) => word === raw.toLowerCase()) : undefined;
}
