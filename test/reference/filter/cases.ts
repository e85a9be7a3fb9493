import fc from 'fast-check';
import type { Operator } from '../../../reference/filter/index.js';
import { quote } from '../../../reference/filter/tokens.js';

/** A generated filter with its meaning and its text. */
export interface Case {
  meaning: Meaning;
  text: string;
}
export type Meaning = { and: Meaning[] } | { or: Meaning[] } | { not: Meaning } | Test;
export interface Test {
  path: string;
  operator: Operator;
  /** Normal values; of `=like=` the characters of the pattern, `ANY` and `RUN` among them. */
  values: readonly unknown[];
}
export const [ANY, RUN] = [Symbol('?'), Symbol('*')];

// Few distinct values, so that conditions match; each of them once exposed a plausible mistake.
// prettier-ignore
const VALUES = {
  text: ['', 'a', 'ab', 'aab', 'b', 'Ab', 'Open', 'and', 'x y', 'é', 'e\u0301', '😀', '\uffff', '\ue000', 'a*b', 'a?b', 'a\\b', '"q"', "it's", 'a\nb', '(,)', '.*', '$ne', 'null', '1'],
  integer: [-(2n ** 63n), -(2n ** 32n), -1n, 0n, 1n, 5n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n],
  id: [1n, 5n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 4060741400035622411n, 2n ** 63n - 1n],
  decimal: [-1e300, -1.5, -1, 0, 5e-324, 0.1, 1, 2.5, 412.5, 2 ** 53, 1e300],
  boolean: [true, false],
  date: ['0001-01-01', '1969-12-31', '1970-01-01', '2024-02-29', '2026-03-01', '9999-12-31'],
  timestamp: ['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '2026-03-01T08:00:00.250Z', '2026-03-01T08:00:00.251Z'],
  enum: ['Open', 'Filled', 'On Hold', 'Closed'],
} as const;
type Type = keyof typeof VALUES;

// prettier-ignore
const LEAVES: readonly (readonly [path: string, type: Type])[] = [
  ['id', 'id'], ['title', 'text'], ['staffing_status', 'enum'], ['customer.id', 'id'], ['customer.name', 'text'], ['location.id', 'id'],
  ['skills.id', 'id'], ['tags', 'text'], ['rates', 'decimal'], ['counts', 'integer'], ['days', 'date'], ['head_count', 'integer'],
  ['day_rate', 'decimal'], ['remote', 'boolean'], ['starts_on', 'date'], ['posted_at', 'timestamp'],
];

const any = (type: Type): fc.Arbitrary<unknown> => fc.constantFrom<unknown>(...VALUES[type]);
const maybe = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined, freq: 3 });
const some = (value: fc.Arbitrary<unknown>) => maybe(fc.array(value, { maxLength: 3 }));
const reference = fc.record({ id: any('id') });

/** The fields of a row, as they come in. */
export const row: fc.Arbitrary<Record<string, unknown>> = fc.record({
  title: maybe(any('text')),
  staffing_status: maybe(any('enum')),
  customer: maybe(fc.record({ id: maybe(any('id')), name: maybe(any('text')) })),
  location: maybe(reference),
  skills: some(reference),
  tags: some(any('text')),
  rates: some(any('decimal')),
  counts: some(any('integer')),
  days: some(any('date')),
  head_count: maybe(any('integer')),
  day_rate: maybe(any('decimal')),
  remote: maybe(any('boolean')),
  starts_on: maybe(any('date')),
  posted_at: maybe(any('timestamp')),
});

const SPELLINGS: Readonly<Record<Operator, readonly string[]>> = {
  '==': ['=='],
  '!=': ['!='],
  '<': ['<', '=lt='],
  '<=': ['<=', '=le='],
  '>': ['>', '=gt='],
  '>=': ['>=', '=ge='],
  '=in=': ['=in='],
  '=out=': ['=out='],
  '=null=': ['=null='],
  '=like=': ['=like='],
  '=between=': ['=between='],
};
const ORDERS: readonly Operator[] = ['<', '<=', '>', '>=', '=between='];
const operatorsOf = (type: Type): Operator[] => [
  ...(['==', '!=', '=in=', '=out=', '=null='] as const),
  ...(type === 'boolean' || type === 'enum' ? [] : ORDERS),
  ...(type === 'text' ? (['=like=', '=like='] as const) : []),
];

const blank = fc.constantFrom('', '', ' ', '\n ');
const character = fc.constantFrom<string | symbol>(
  'a',
  'b',
  'é',
  '😀',
  '*',
  '?',
  '\\',
  '"',
  ' ',
  RUN,
  RUN,
  RUN,
  ANY,
  ANY,
);
const spellPattern = (pattern: readonly (string | symbol)[]): string =>
  pattern.map((each) => (each === RUN ? '*' : each === ANY ? '?' : `\\${String(each)}`)).join('');

const quoteAlways = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
const spellValue = (value: unknown, always: boolean): string => (always ? quoteAlways : quote)(String(value));

const leafTest: fc.Arbitrary<Case> = fc
  .constantFrom(...LEAVES)
  .chain(([path, type]) => fc.tuple(fc.constant(path), fc.constant(type), fc.constantFrom(...operatorsOf(type))))
  .chain(([path, type, operator]) =>
    fc
      .tuple(valuesOf(type, operator), fc.constantFrom(...SPELLINGS[operator]), blank, blank, fc.boolean())
      .map(([values, spelling, before, trailing, always]): Case => {
        const list = operator === '=in=' || operator === '=out=' || operator === '=between=';
        const texts =
          operator === '=like='
            ? [`"${spellPattern(values as (string | symbol)[])}"`]
            : values.map((value) => spellValue(value, always));
        const right = list ? `(${texts.join(`${before},`)})` : texts.join('');
        const normal = values.map((value) => (typeof value === 'string' ? value.normalize('NFC') : value));
        return { meaning: { path, operator, values: normal }, text: path + before + spelling + trailing + right };
      }),
  );

function valuesOf(type: Type, operator: Operator): fc.Arbitrary<unknown[]> {
  if (operator === '=null=') return fc.boolean().map((value) => [value]);
  if (operator === '=like=') return fc.array(character, { maxLength: 6 });
  if (operator === '=between=') return fc.tuple(any(type), any(type));
  const isList = operator === '=in=' || operator === '=out=';
  return fc.array(any(type), { minLength: 1, maxLength: isList ? 4 : 1 });
}

/** Filters of every operator over every type, spelled in every way. */
export const filterCase: fc.Arbitrary<Case> = fc.letrec<{ any: Case }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leafTest,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('any'), { minLength: 2, maxLength: 4 }), fc.nat(2))
      .map(([kind, terms, spelling]): Case => {
        const meaning = terms.map((term) => term.meaning);
        const text = terms.map((term) => `(${term.text})`);
        return kind === 'and'
          ? { meaning: { and: meaning }, text: text.join([' and ', ';', ' AND '][spelling]) }
          : { meaning: { or: meaning }, text: text.join([' or ', ',', ' Or '][spelling]) };
      }),
    fc
      .tuple(tie('any'), fc.constantFrom('not', 'NOT ', 'Not\n'))
      .map(([term, not]): Case => ({ meaning: { not: term.meaning }, text: `${not}(${term.text})` })),
  ),
})).any;
