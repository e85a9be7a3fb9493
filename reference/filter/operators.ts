import type { ScalarType } from '../dataset/dataset-field.js';

/** The operators under their canonical spelling. */
export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '=in=' | '=out=' | '=null=' | '=like=' | '=between=';

/** The operator of points: `<point> =near= (<latitude>, <longitude>, <metres>)`. */
export const NEAR = '=near=';

interface OperatorRule {
  /** Number of values after it. */
  values: 'one' | 'two' | 'many';
  /** Allowed types of the field, or of the entries of its list. */
  types: readonly ScalarType[];
  /** Other spellings. */
  also: readonly string[];
}

const EVERY: readonly ScalarType[] = ['text', 'integer', 'id', 'decimal', 'boolean', 'date', 'timestamp', 'enum'];
const ORDERED: readonly ScalarType[] = ['text', 'integer', 'id', 'decimal', 'date', 'timestamp'];

// prettier-ignore
export const OPERATORS: Readonly<Record<Operator, OperatorRule>> = {
  '==':        { values: 'one',  types: EVERY,    also: [] },
  '!=':        { values: 'one',  types: EVERY,    also: [] },
  '<':         { values: 'one',  types: ORDERED,  also: ['=lt='] },
  '<=':        { values: 'one',  types: ORDERED,  also: ['=le='] },
  '>':         { values: 'one',  types: ORDERED,  also: ['=gt='] },
  '>=':        { values: 'one',  types: ORDERED,  also: ['=ge='] },
  '=in=':      { values: 'many', types: EVERY,    also: [] },
  '=out=':     { values: 'many', types: EVERY,    also: [] },
  '=null=':    { values: 'one',  types: EVERY,    also: [] },
  '=like=':    { values: 'one',  types: ['text'], also: [] },
  '=between=': { values: 'two',  types: ORDERED,  also: [] },
};
// The keys of the table are exactly the operators.
const NAMES = Object.keys(OPERATORS) as Operator[];
const SPELLINGS: ReadonlyMap<string, Operator> = new Map(
  NAMES.flatMap((name) => [name, ...OPERATORS[name].also].map((spelling) => [spelling, name] as const)),
);

export const operatorOf = (spelling: string): Operator | undefined => SPELLINGS.get(spelling);
export const operatorSpellings: readonly string[] = [...SPELLINGS.keys(), NEAR];
export const isOperator = (spelling: string): boolean => spelling === NEAR || SPELLINGS.has(spelling);
export const operatorsFor = (type: ScalarType): Operator[] =>
  NAMES.filter((name) => OPERATORS[name].types.includes(type));

/** Operators of other languages; a word may be enclosed in equals signs. */
const FOREIGN: ReadonlyMap<string, Operator> = new Map([
  ['=', '=='],
  ['eq', '=='],
  ['is', '=='],
  ['!', '!='],
  ['<>', '!='],
  ['ne', '!='],
  ['neq', '!='],
  ['=<', '<='],
  ['=>', '>='],
  ['lt', '<'],
  ['le', '<='],
  ['lte', '<='],
  ['gt', '>'],
  ['ge', '>='],
  ['gte', '>='],
  ['in', '=in='],
  ['nin', '=out='],
  ['notin', '=out='],
  ['out', '=out='],
  ['null', '=null='],
  ['~', '=like='],
  ['=~', '=like='],
  ['~=', '=like='],
  ['like', '=like='],
  ['contains', '=like='],
  ['re', '=like='],
  ['between', '=between='],
]);

/** Returns the operator that the client probably meant. */
export function foreignOperator(written: string): Operator | undefined {
  const word = written.toLowerCase();
  return FOREIGN.get(word) ?? FOREIGN.get(word.replace(/^=(.+)=$/, '$1'));
}
