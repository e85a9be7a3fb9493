import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that docs/glossary.md replaces by a term of the field; also refused as part of an identifier. */
// language: the list itself has to name them
const REFUSED = /\b(told|stands|affair|somebody|nobody|anew|travellers?|minting|hearing|judging)\b/i;
/** A comment starts with a verb or an article. */
const REFUSED_START = /(?:^\s*\*|\/\/|\/\*\*?)\s*(?:What|Whatever|Who|Whoever|Of)\b/;
/** On the line above: allows a word that is stored or on the wire, and says why. */
const REASON = /language:/;

const SOURCES = ['*.ts', '*.mjs', '*.py', '*.md', '*.html'];
const LEFT_OUT = [':!client/openapi.ts', ':!test/histories', ':!runtime/**/*.lock'];

const filesOf = (): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...SOURCES, ...LEFT_OUT], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '');

const wordsOf = (line: string): string => line.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

function findingsIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const isProse = file.endsWith('.md');
  return lines.flatMap((line, index) => {
    const isRefused = REFUSED.test(wordsOf(line)) || (!isProse && REFUSED_START.test(line));
    const isExplained = REASON.test(line) || REASON.test(lines[index - 1] ?? '');
    return isRefused && !isExplained ? [`${file}:${index + 1}: ${line.trim()}`] : [];
  });
}

test('texts, comments and identifiers use the terms of the glossary', () => {
  const files = filesOf();
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap(findingsIn)).toEqual([]);
});

test.each([
  ['/** Who calls. */', true], // language: a sample
  ['  // What was read is kept', true], // language: a sample
  ['/** The caller. */', false],
  ['const toldEvents = [];', true], // language: a sample of a refused identifier
  ['const emittedEvents = [];', false],
])('%s is refused: %s', (line, refused) => {
  expect(REFUSED.test(wordsOf(line)) || REFUSED_START.test(line)).toBe(refused);
});
