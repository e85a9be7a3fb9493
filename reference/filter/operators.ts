import type { ScalarType } from '../dataset/dataset-field.js';

/** The operators under their canonical spelling. */
export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '=in=' | '=out=' | '=null=' | '=like=' | '=between=';

interface OperatorRule {
  /** How many values stand behind it. */
  values: 'one' | 'two' | 'many';
  /** Of the field, or of an entry of its list. */
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
// The keys of the table are all there are.
const NAMES = Object.keys(OPERATORS) as Operator[];
const SPELLINGS: ReadonlyMap<string, Operator> = new Map(
  NAMES.flatMap((name) => [name, ...OPERATORS[name].also].map((spelling) => [spelling, name] as const)),
);

export const operatorOf = (spelling: string): Operator | undefined => SPELLINGS.get(spelling);
export const operatorSpellings: readonly string[] = [...SPELLINGS.keys()];
export const operatorsFor = (type: ScalarType): Operator[] =>
  NAMES.filter((name) => OPERATORS[name].types.includes(type));

/** What other languages call them; a word may stand between equals signs or alone. */
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

/** The operator that somebody probably meant who wrote this. */
export function foreignOperator(written: string): Operator | undefined {
  const word = written.toLowerCase();
  return FOREIGN.get(word) ?? FOREIGN.get(word.replace(/^=(.+)=$/, '$1'));
}
