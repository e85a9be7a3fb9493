import { buildSchema, Kind, type OperationDefinitionNode, parse, print, type SelectionSetNode } from 'graphql';
import { collectFields as collectByLibrary } from 'graphql/execution/collectFields.js';
import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { collectFields, type Fragments, type Variables } from '../../../reference/graph/selection.js';

const schema = buildSchema(`
  type Query { a: Int b: Int row: Row rows: [Row] }
  type Row { a: Int b: Int row: Row }
`);

interface Parsed {
  set: SelectionSetNode;
  fragments: Fragments;
}

function read(text: string): Parsed {
  const { definitions } = parse(text);
  const operation = definitions.find(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  );
  const named = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  if (operation === undefined) throw new Error(`${text} has no operation`);
  return { set: operation.selectionSet, fragments: new Map(named.map((each) => [each.name.value, each])) };
}

/** The nodes by response name, in order, as text. */
const shown = (found: ReadonlyMap<string, readonly Parameters<typeof print>[0][]>) =>
  [...found].map(([name, nodes]) => [name, nodes.map(print)]);

const ours = ({ set, fragments }: Parsed, variables: Variables = {}) =>
  shown(collectFields([set], 'Query', { fragments, variables }));

function byLibrary({ set, fragments }: Parsed, variables: Variables = {}) {
  const type = schema.getQueryType();
  if (type == null) throw new Error('the schema has no query');
  return shown(collectByLibrary(schema, Object.fromEntries(fragments), variables, type, set));
}

// prettier-ignore
test.each<[string, string, string[]]>([
  ['one field',                        '{ a }', ['a']],
  ['fields in order',                  '{ b a }', ['b', 'a']],
  ['a field twice',                    '{ a b a }', ['a', 'b']],
  ['another name for a field',         '{ b: a a: b }', ['b', 'a']],
  ['a fragment where it is spread',    '{ a ...f a } fragment f on Query { b a }', ['a', 'b']],
  ['a fragment that is spread twice',  '{ ...f ...f } fragment f on Query { a }', ['a']],
  ['a fragment of fragments',          '{ ...f } fragment f on Query { ...g b } fragment g on Query { a }', ['a', 'b']],
  ['an inline fragment',               '{ ... { a } ... on Query { b } }', ['a', 'b']],
  ['a fragment of another type',       '{ a ... on Row { b } ...f } fragment f on Row { b }', ['a']],
  ['a fragment that is not there',     '{ a ...nothing }', ['a']],
  ['fragments that spread each other', '{ ...f } fragment f on Query { a ...g } fragment g on Query { b ...f }', ['a', 'b']],
  ['what is skipped',                  '{ a @skip(if: true) b @skip(if: false) }', ['b']],
  ['what is included',                 '{ a @include(if: true) b @include(if: false) }', ['a']],
  ['what is skipped and included',     '{ a @skip(if: true) @include(if: true) b @skip(if: false) @include(if: true) }', ['b']],
  ['a skipped fragment',               '{ ...f @skip(if: true) ... @include(if: false) { b } } fragment f on Query { a }', []],
  // A spread that is left out does not use up the fragment.
  ['a fragment once skipped and once not', '{ ...f @skip(if: true) ...f } fragment f on Query { a }', ['a']],
  ['an unknown directive',             '{ a @other b @deprecated(reason: "") }', ['a', 'b']],
])('selects %s as the library does', (_, text, names) => {
  const parsed = read(text);
  expect(ours(parsed).map(([name]) => name)).toEqual(names);
  expect(ours(parsed)).toEqual(byLibrary(parsed));
});

test.each([
  [{ yes: true, no: false }, ['a', 'd']],
  [{ yes: false, no: true }, ['b', 'c']],
])('variables select: %j', (variables, names) => {
  const parsed = read(
    'query ($yes: Boolean!, $no: Boolean!) { a @include(if: $yes) b: a @skip(if: $yes) ...c @include(if: $no) ... @skip(if: $no) { d: a } } fragment c on Query { c: b }',
  );
  expect(ours(parsed, variables).map(([name]) => name)).toEqual(names);
  expect(ours(parsed, variables)).toEqual(byLibrary(parsed, variables));
});

test('the sets of one field that is selected several times are one selection', () => {
  const { set, fragments } = read('{ row { a } row { b row { a } } row { a row { b } } }');
  const [nodes = []] = collectFields([set], 'Query', { fragments, variables: {} }).values();
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const inner = collectFields(sets, 'Row', { fragments, variables: {} });
  expect([...inner.keys()]).toEqual(['a', 'b', 'row']);
  expect(inner.get('row')).toHaveLength(2);
});

function randomText(seed: number): string {
  const { below, pick } = createDraw(seed);
  const directive = () =>
    below(4) === 0 ? ` @${pick(['skip', 'include'])}(if: ${pick(['true', 'false', '$yes', '$no'])})` : '';
  const selection = (depth: number): string => {
    switch (below(depth > 0 ? 5 : 2)) {
      case 0:
        return `${pick(['a', 'b'])}${directive()}`;
      case 1:
        return `${pick(['a', 'b', 'c'])}: ${pick(['a', 'b'])}${directive()}`;
      case 2:
        return `... ${pick(['', 'on Query', 'on Row'])}${directive()} { ${selections(depth - 1)} }`;
      default:
        return `...${pick(['f', 'g', 'h'])}${directive()}`;
    }
  };
  const selections = (depth: number): string => Array.from({ length: 1 + below(4) }, () => selection(depth)).join(' ');
  const fragments = ['f', 'g', 'h'].map(
    (name) => `fragment ${name} on ${pick(['Query', 'Query', 'Row'])} { ${selections(2)} }`,
  );
  return `query ($yes: Boolean!, $no: Boolean!) { ${selections(3)} } ${fragments.join(' ')}`;
}

test('random selections are those of the library', () => {
  for (let seed = 1; seed <= 150; seed += 1) {
    const text = randomText(seed);
    const parsed = read(text);
    const variables = { yes: true, no: false };
    expect([text, ours(parsed, variables)]).toEqual([text, byLibrary(parsed, variables)]);
  }
});
