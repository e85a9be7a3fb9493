import type { Span, Token } from './tokens.js';

/** What a text says before anything is known of the fields that it names. */
export type Syntax = Junction | Negation | Comparison;

export interface Junction extends Span {
  kind: 'and' | 'or';
  /** At least two. */
  terms: readonly Syntax[];
}

export interface Negation extends Span {
  kind: 'not';
  term: Syntax;
}

export interface Comparison extends Span {
  kind: 'comparison';
  selector: Token;
  operator: Token;
  values: readonly Token[];
}
