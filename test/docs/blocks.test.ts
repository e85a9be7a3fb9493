import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMANDS, pagesWithCommands, parseBlocks, readBlocks } from './blocks.js';

const LANGUAGES = [COMMANDS, 'text', 'json', 'yaml', 'js', 'ts', 'python', 'filter', 'event-filter'];

const pages = pagesWithCommands();
const blocks = pages.flatMap((page) => readBlocks(page).map((block) => ({ page, ...block })));

test('a block names its language, so that no command hides from the test that runs them', () => {
  expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
});

test('commands that are not run give a reason, and are few', () => {
  const notRun = blocks.filter((block) => block.notRun !== undefined);
  expect(notRun.filter(({ language, notRun: reason = '' }) => language !== COMMANDS || reason.length < 10)).toEqual([]);
  const marks = pages.flatMap((page) => readFileSync(page, 'utf8').match(/<!-- not run/g) ?? []);
  expect(marks).toHaveLength(notRun.length);
  const run = blocks.filter(({ language, notRun: reason }) => language === COMMANDS && reason === undefined);
  expect(run.length).toBeGreaterThan(2 * notRun.length);
});

test('a page is read block by block', () => {
  const page = [
    'a',
    '```sh',
    'ls',
    '```',
    '',
    '```text',
    'x',
    '```',
    'b',
    '<!-- not run: a reason -->',
    '```sh',
    '```',
  ];
  expect(parseBlocks(page.join('\n'))).toEqual([
    { line: 2, language: 'sh', text: 'ls\n', follows: false },
    { line: 6, language: 'text', text: 'x\n', follows: true },
    { line: 11, language: 'sh', text: '', follows: false, notRun: 'a reason' },
  ]);
});
