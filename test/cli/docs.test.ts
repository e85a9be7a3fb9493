import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../cli/exit-codes.js';
import { createSlipwayRunner } from './slipway.js';

const page = await readFile('docs/cli.md', 'utf8');

test('the page holds the table of exit codes', () => {
  const rows = EXIT_CODES.map(({ code, means }) => `| ${code} | ${means} |`);
  expect(page.trimEnd().endsWith(rows.join('\n'))).toBe(true);
});

test('the page names every command', async () => {
  const slipway = await createSlipwayRunner({});
  const { out } = await slipway.run(['__complete', '--', '']);
  await slipway.remove();
  const commands = out.split('\n').flatMap((line) => line.split('\t')[0] ?? []);
  const unnamed = commands.filter((word) => word !== '' && word !== 'help' && !page.includes(`\`${word}`));
  expect(commands).toContain('apply');
  expect(unnamed).toEqual([]);
});
