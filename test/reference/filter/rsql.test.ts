import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from '@rsql/parser';
import fc from 'fast-check';
import { parseSyntax } from '../../../reference/filter/parser.js';
import { createProblems } from '../../../reference/filter/problems.js';
import type { Syntax } from '../../../reference/filter/syntax.js';
import { valueOf } from '../../../reference/filter/tokens.js';

type Theirs = ReturnType<typeof parse>;

// Both trees as nested lists, runs of the same operator in one.
const join = (kind: string, terms: unknown[]): unknown[] => [
  kind,
  ...terms.flatMap((term) => (Array.isArray(term) && term[0] === kind ? (term.slice(1) as unknown[]) : [term])),
];
function ours(syntax: Syntax): unknown {
  if (syntax.kind === 'not') throw new Error('no RSQL');
  if (syntax.kind !== 'comparison') return join(syntax.kind, syntax.terms.map(ours));
  return [syntax.selector.raw, syntax.operator.raw, ...syntax.values.map(valueOf)];
}
function theirs(node: Theirs): unknown {
  if (node.type !== 'LOGIC') return [node.left.selector, node.operator, ...[node.right.value].flat()];
  const isAnd = node.operator === ';' || node.operator === 'and';
  return join(isAnd ? 'and' : 'or', [theirs(node.left), theirs(node.right)]);
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return 'refused';
  }
}
const readOurs = (text: string) => {
  const { tree } = parseSyntax(text, createProblems(text, 'q'));
  return tree === undefined ? 'refused' : ours(tree);
};
const readTheirs = (text: string) => attempt(() => theirs(parse(text)));

const word = fc.constantFrom(
  'a',
  'title',
  'customer.id',
  'order',
  'android',
  'x\\y',
  'é😀',
  '2026-01-01',
  '-1.5',
  '*',
  '$where',
);
const quoted = fc.constantFrom('"On Hold"', "'a,b'", '"it\'s"', String.raw`"q\"\\x"`, '""', '"("', "')'");
const value = fc.oneof(word, quoted);
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=', '=lt=', '=le=', '=gt=', '=ge=', '=in=', '=out=');
const blank = fc.constantFrom('', '', ' ', '  ', '\t', '\n');
const comparison = fc
  .tuple(word, blank, operator, blank, fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 })))
  .map(([selector, before, op, trailing, values]) => {
    return selector + before + op + trailing + (Array.isArray(values) ? `(${values.join(',')})` : values);
  });
const filter = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.tuple(tie('any'), fc.constantFrom(';', ',', ' and ', ' or ', ' ; '), tie('any')).map((parts) => parts.join('')),
    fc.tuple(blank, tie('any'), blank).map(([before, inner, trailing]) => `(${before}${inner}${trailing})`),
  ),
})).any;
const soup = fc
  .array(fc.oneof(word, quoted, operator, fc.constantFrom('(', ')', ';', ',', ' and ', ' or ', '=', '!', '"', "'")), {
    maxLength: 9,
  })
  .map((parts) => parts.join(''));
const damaged = fc
  .tuple(filter, fc.nat(), fc.constantFrom('', '(', ')', ',', ';', '"', "'", '=', '!', ' ', 'a', '==', '~'))
  .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1));

// Where we differ from the oracle on purpose, or it from its grammar.
const DIFFERENT = [
  /[=<>!]\s*\([^)]*\s(or|and)\s/i, // it takes `or` for a comma inside a list of values
  /(^|[\s();,=<>!])(and|or)(?=[\s();,=<>!]|$)/, // without a blank on both sides, or as a value: it refuses them
  /=[a-z]+=/, // its operators have any name; unknown ones are reported, as tested below
];
const isShared = (text: string) =>
  !DIFFERENT.some((form) =>
    form.test(
      text.replaceAll(/=(lt|le|gt|ge|in|out)=/g, '==').replaceAll(/(?<=[^\s(;,=<>!]) (and|or) (?=[^\s=<>!])/g, ';'),
    ),
  );

test('agrees with @rsql/parser on whatever both speak, right and wrong', () => {
  let [accepted, refused] = [0, 0];
  fc.assert(
    fc.property(fc.oneof(filter, damaged, soup), (text) => {
      fc.pre(isShared(text));
      const expected = readTheirs(text);
      if (expected === 'refused') refused += 1;
      else accepted += 1;
      return isDeepStrictEqual(readOurs(text), expected);
    }),
    { numRuns: 20_000 },
  );
  // Neither kind is a matter of luck.
  expect(accepted).toBeGreaterThan(3_000);
  expect(refused).toBeGreaterThan(3_000);
});
