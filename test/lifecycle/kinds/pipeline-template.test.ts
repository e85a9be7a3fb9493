import { expect, test } from 'vitest';
import { createRenderer, type PipelineFacts } from '../../../lifecycle/kinds/pipeline-template.js';

const FACTS: PipelineFacts = {
  pipeline: 'wine',
  run: '7',
  version: '1.{{ run }}-{{ parameters.flavor }}',
  parameters: { flavor: 'red', 'dotted.name': 'x', again: '{{ version }}/{{parameters.flavor}}' },
};
const render = <T>(value: T, facts: Partial<PipelineFacts> = {}) =>
  createRenderer({ ...FACTS, commit: 'c0ffee', ...facts }).render(value);

// prettier-ignore
const FILLED = [
  ['{{ pipeline }}/{{run}}', 'wine/7'],
  ['{{\tversion\n}}', '1.7-red'],
  ['{{ parameters.again }}', '1.7-red/red'],
  ['{{ parameters.dotted.name }}', 'x'],
  ['{{ commit }}{{ commit }}', 'c0ffeec0ffee'],
  // Those of trainings and packagings stay for them, and so does what is no placeholder at all.
  ['{{ .Name }}-{{ RandomUUID }}-{{.Version}}', '{{ .Name }}-{{ RandomUUID }}-{{.Version}}'],
  ['{ run } {{ run', '{ run } {{ run'],
  ['${{ {run} }}', '${{ {run} }}'],
  ['', ''],
] as const;
test.each(FILLED)('%j is filled in', (text, filled) => {
  expect(render(text)).toBe(filled);
});

test('every text of a document is filled in; keys, numbers and shapes stay', () => {
  const document = { '{{ run }}': ['{{ run }}', 7, null, true, { deep: '{{ pipeline }}' }], empty: {} };
  expect(render(document)).toEqual({ '{{ run }}': ['7', 7, null, true, { deep: 'wine' }], empty: {} });
});

test('a value that looks like a placeholder after filling in is not filled in again', () => {
  expect(render('{{ parameters.left }}run }}', { parameters: { left: '{{ ' } })).toBe('{{ run }}');
});

const UNKNOWN = 'known are pipeline, run, version, commit';
// prettier-ignore
const REFUSED: readonly (readonly [string, Partial<PipelineFacts>, string])[] = [
  ['{{ nope }}', { parameters: {} }, `unknown placeholder "nope", ${UNKNOWN}`],
  ['{{ }}', { parameters: {} }, `unknown placeholder "", ${UNKNOWN}`],
  ['{{ parameters.b }}', { parameters: { a: '' } }, `unknown placeholder "parameters.b", ${UNKNOWN}, parameters.a`],
  ['{{ parameters. }}', { parameters: {} }, `unknown placeholder "parameters.", ${UNKNOWN}`],
  ['{{ parameters.toString }}', { parameters: {} }, `unknown placeholder "parameters.toString", ${UNKNOWN}`],
  ['{{ constructor }}', { parameters: {} }, `unknown placeholder "constructor", ${UNKNOWN}`],
  ['{{ commit }}', { commit: undefined }, 'placeholder "commit" is not known at this place'],
  ['{{ version }}', { version: 'v{{ version }}' }, 'placeholders form a cycle: version -> version'],
  ['{{ version }}', { version: '{{ parameters.a }}', parameters: { a: '{{ version }}' } }, 'placeholders form a cycle: version -> parameters.a -> version'],
];
test.each(REFUSED)('%j with %j is refused', (text, facts, message) => {
  expect(() => render(text, facts)).toThrow(message);
});

test('a commit that is not known yet is missed only where it is needed', () => {
  expect(render('{{ run }}', { commit: undefined })).toBe('7');
});

/** `p0` names `p1` twice, which names `p2` twice, and so on. */
const doubling = (depth: number, last: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: depth }, (_, at) => [
      `p${at}`,
      at === depth - 1 ? last : `{{ parameters.p${at + 1} }}{{ parameters.p${at + 1} }}`,
    ]),
  );

test('parameters that double each other make no endless text', () => {
  const message = 'placeholders stand for more than 1000000 characters';
  expect(() => render('{{ parameters.p0 }}', { parameters: doubling(64, 'ha') })).toThrow(message);
});

test('parameters that double nothing make no endless work', () => {
  expect(render('{{ parameters.p0 }}', { parameters: doubling(1_000, '') })).toBe('');
});

test('a long text without an end of its placeholder is read once', () => {
  const text = `{{${' '.repeat(500_000)}`;
  expect(render(text)).toBe(text);
  const braces = '{'.repeat(500_000);
  expect(render(braces)).toBe(braces);
});
