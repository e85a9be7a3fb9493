import { FILTER_LIMITS } from './limits.js';
import { foreignOperator, isOperator, operatorSpellings } from './operators.js';
import { type Problems, quoteForMessage } from './problems.js';
import { suggest } from './suggestion.js';
import type { Comparison, Syntax } from './syntax.js';
import { createTokens, quote, type Token, valueOf } from './tokens.js';

const LOGIC = ['and', 'or'] as const;
const LONGEST_LOGIC = 3;
const END = 'the end of the filter';

export interface ParseResult {
  /** Undefined when a problem was added. */
  tree?: Syntax | undefined;
  /** The comparisons that could be parsed, whatever else is wrong. */
  comparisons: readonly Comparison[];
}

/**
 * Parses by recursive descent: `or` of `and` of comparisons, parentheses and `not( )`. After an error it resumes after
 * the failed term, so that one response reports several problems; exceeding a limit ends it.
 */
export function parseSyntax(text: string, problems: Problems): ParseResult {
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
  return new Parser(tokenAt, problems).parse();
}

/**
 * A class rather than closures: most filters are short and used once, and creating closures would outweigh the parsing.
 */
class Parser {
  private readonly tokenAt: (index: number) => Token;
  private readonly problems: Problems;
  private at = 0;
  private depth = 0;
  private terms = 0;
  private sound = true;
  private stopped = false;
  private readonly comparisons: Comparison[] = [];

  constructor(tokenAt: (index: number) => Token, problems: Problems) {
    this.tokenAt = tokenAt;
    this.problems = problems;
  }

  private peek(ahead = 0): Token {
    return this.stopped ? END_OF_STOPPED : this.tokenAt(this.at + ahead);
  }

  private next(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.at += 1;
    return token;
  }

  private fail(...problem: Parameters<Problems['add']>): undefined {
    this.sound = false;
    this.problems.add(...problem);
    this.stopped ||= this.problems.isFull();
  }

  /** Adds the problem of an exceeded limit: the rest of the text is not parsed. */
  private stop(...problem: Parameters<Problems['add']>): undefined {
    this.fail(...problem);
    this.stopped = true;
  }

  parse(): ParseResult {
    let tree = this.parseJunction('or');
    while (this.peek().kind !== 'end') {
      const token = this.next();
      this.fail('syntax', token, `this ${token.raw} closes nothing`, { expected: ['and', 'or', END] });
      if (junctionOf(this.peek()) !== undefined) this.next();
      if (this.peek().kind !== 'end') tree = this.parseJunction('or');
    }
    return { tree: this.sound ? tree : undefined, comparisons: this.comparisons };
  }

  private parseJunction(kind: 'and' | 'or'): Syntax | undefined {
    const found: (Syntax | undefined)[] = [];
    do found.push(kind === 'or' ? this.parseJunction('and') : this.parseTerm());
    while (junctionOf(this.peek()) === kind && this.next());
    const [first, ...others] = found.filter((term) => term !== undefined);
    const end = others.at(-1)?.end;
    return first === undefined || end === undefined
      ? first
      : { kind, terms: [first, ...others], start: first.start, end };
  }

  private parseTerm(): Syntax | undefined {
    const token = this.peek();
    if (token.kind === '(') return this.parseGroup(token);
    const negates = token.kind === 'word' && token.raw.toLowerCase() === 'not';
    if (negates && this.peek(1).kind === '(') {
      this.next();
      const term = this.parseGroup(this.peek());
      return term && { kind: 'not', term, start: token.start, end: this.tokenAt(this.at - 1).end };
    }
    if (negates && this.peek(1).kind !== 'operator') {
      this.fail('syntax', token, 'not must be followed by parentheses', { expected: ['not('] });
      return this.skipTerm();
    }
    return this.parseComparison();
  }

  private parseGroup(open: Token): Syntax | undefined {
    if (this.depth >= FILTER_LIMITS.depth) {
      return this.stop('too_deep', open, `parentheses nest at most ${FILTER_LIMITS.depth} deep`);
    }
    this.depth += 1;
    this.next();
    const tree = this.parseJunction('or');
    if (this.peek().kind === ')') this.next();
    else if (!this.stopped) this.fail('syntax', open, 'this ( is not closed', { expected: [')'] });
    this.depth -= 1;
    return tree;
  }

  private parseComparison(): Comparison | undefined {
    const selector = this.peek();
    const isName = selector.kind === 'word' && (junctionOf(selector) === undefined || this.peek(1).kind === 'operator');
    if (!isName) return this.failAt(selector, 'a field is missing', ['a field', '(', 'not(']);
    this.terms += 1;
    if (this.terms > FILTER_LIMITS.terms) {
      return this.stop('too_many_terms', selector, `a filter has at most ${FILTER_LIMITS.terms} comparisons`);
    }
    const changed = this.parseChanged();
    if (changed !== undefined && endsTerm(this.peek())) return this.holds(changed);
    if (changed === undefined) this.next();
    const operator = this.parseOperator();
    if (operator === undefined) return this.skipTerm();
    const values = this.peek().kind === '(' ? this.parseValues() : toList(this.parseValue());
    if (values === undefined) return undefined;
    const closing = this.tokenAt(this.at - 1);
    if (!endsTerm(this.peek())) return this.failAfter(closing);
    return this.compare({ selector: changed ?? selector, operator, values, end: closing.end });
  }

  /** Parses `changed(<field>)`, a boolean name in filters of events. */
  private parseChanged(): Token | undefined {
    const word = this.peek();
    if (this.peek(1).kind !== '(' || word.raw.toLowerCase() !== 'changed') return undefined;
    const [field, close] = [this.peek(2), this.peek(3)];
    if (field.kind !== 'word' || close.kind !== ')') return undefined;
    this.at += 4;
    return { kind: 'word', raw: `changed(${field.raw})`, start: word.start, end: close.end };
  }

  /** Completes a boolean name without an operator to `name == true`. */
  private holds(selector: Token): Comparison {
    const { end } = selector;
    const operator: Token = { kind: 'operator', raw: '==', start: end, end };
    return this.compare({ selector, operator, values: [{ kind: 'word', raw: 'true', start: end, end }], end });
  }

  private compare({ selector, ...rest }: Omit<Comparison, 'kind' | 'start'>): Comparison {
    const comparison: Comparison = { kind: 'comparison', selector, ...rest, start: selector.start };
    this.comparisons.push(comparison);
    return comparison;
  }

  /** Reports an unknown operator and consumes it, so that parsing can continue. */
  private parseOperator(): Token | undefined {
    const token = this.peek();
    if (token.kind === 'operator' && isOperator(token.raw)) return this.next();
    const meant = foreignOperator(token.raw);
    const expected = operatorSpellings;
    if (token.kind !== 'operator' && (token.kind !== 'word' || meant === undefined)) {
      const before = token.kind === 'end' ? '' : ` before ${quoteForMessage(token.raw)}`;
      return this.fail('syntax', token, `an operator is missing${before}`, { expected });
    }
    const suggestion = () => meant ?? suggest(token.raw, operatorSpellings);
    const message = `there is no operator ${quoteForMessage(token.raw)}`;
    this.fail('unknown_operator', token, message, { expected, suggestion });
    return this.next();
  }

  /** @param inside how many parentheses of the term are open */
  private parseValue(inside = 0): Token | undefined {
    const token = this.peek();
    if (token.kind === 'word' || token.kind === 'quoted') return this.next();
    return this.failAt(token, 'a value is missing', ['a value'], inside);
  }

  private parseValues(): Token[] | undefined {
    const open = this.next();
    const values: Token[] = [];
    for (;;) {
      const value = this.parseValue(1);
      if (value === undefined) return undefined;
      values.push(value);
      if (values.length > FILTER_LIMITS.values) {
        return this.stop('too_many_values', value, `a list has at most ${FILTER_LIMITS.values} values`);
      }
      const token = this.peek();
      this.next();
      if (token.kind === ')') return values;
      if (token.kind === ',') continue;
      const expected = [',', ')'];
      if (token.kind === 'end') return this.fail('syntax', open, 'this ( is not closed', { expected });
      return this.failAt(token, `a comma is missing before ${quoteForMessage(token.raw)}`, expected, 1);
    }
  }

  /** Reports a token after a comparison that neither joins nor closes: most often the rest of a value with blanks. */
  private failAfter(value: Token): undefined {
    const rest: Token[] = [];
    while (isValue(this.peek(rest.length))) rest.push(this.peek(rest.length));
    const lastWord = rest.at(-1);
    if (value.kind === 'word' && lastWord !== undefined && endsTerm(this.peek(rest.length))) {
      const suggestion = () => quote([value, ...rest].map(valueOf).join(' '));
      const whole = { start: value.start, end: lastWord.end };
      this.fail('syntax', whole, 'a value with blanks must be quoted', { suggestion });
    } else {
      this.fail('syntax', this.peek(), `and or or is missing before ${quoteForMessage(this.peek().raw)}`, {
        expected: [...LOGIC, ')', END],
      });
    }
    return this.skipTerm();
  }

  private failAt(token: Token, message: string, expected: string[], inside = 0): undefined {
    if (token.kind === 'unclosed')
      this.fail('syntax', token, 'this quote is not closed', { expected: [token.raw.charAt(0)] });
    else this.fail('syntax', token, message, { expected });
    return this.skipTerm(inside);
  }

  /** Skips to the token that joins or closes outside of the parentheses that are open inside the term. */
  private skipTerm(inside = 0): undefined {
    for (let open = inside; this.peek().kind !== 'end' && (open > 0 || !endsTerm(this.peek()));) {
      const { kind } = this.next();
      open += kind === '(' ? 1 : kind === ')' ? -1 : 0;
    }
  }
}

/** The token that a stopped parser sees. */
const END_OF_STOPPED: Token = { kind: 'end', raw: '', start: 0, end: 0 };

const toList = (token: Token | undefined): Token[] | undefined => token && [token];

const isValue = (token: Token): boolean =>
  token.kind === 'quoted' || (token.kind === 'word' && junctionOf(token) === undefined);

const endsTerm = (token: Token): boolean =>
  token.kind === 'end' || token.kind === ')' || junctionOf(token) !== undefined;

function junctionOf({ kind, raw }: Token): 'and' | 'or' | undefined {
  if (kind === ';') return 'and';
  if (kind === ',') return 'or';
  if (kind !== 'word' || raw.length > LONGEST_LOGIC) return undefined;
  const word = raw.toLowerCase();
  return LOGIC.find((each) => each === word);
}
