import type { Span, Token } from './tokens.js';

/** The syntax tree of a filter, before fields and types are known. */
export type Syntax = Junction | Negation | Comparison;

export interface Junction extends Span {
  kind: 'and' | 'or';
  /** At least two. */
  terms: readonly Syntax[];
}

interface Negation extends Span {
  kind: 'not';
  term: Syntax;
}

export interface Comparison extends Span {
  kind: 'comparison';
  selector: Token;
  operator: Token;
  values: readonly Token[];
}
