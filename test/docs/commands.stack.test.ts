import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../e2e/platform.js';
import { bundleProgram } from '../../workers/compose/program.js';
import { findTestPortBase } from '../stack/port-base.js';
import { ensureTool } from '../stack/test-stack.js';
import { type Block, COMMANDS, pagesWithCommands, readBlocks } from './blocks.js';
import { cloneProject, runBlocks } from './shell.js';

let platform: TestPlatform;
let folder: string;
/** The command line as one bundle: it starts in a third of the time. */
let command: string;
/** Addresses of the pages, and what has them here. */
let addresses: ReadonlyMap<string, string>;
beforeAll(async () => {
  await ensureTool('jq', 'the commands of the documentation');
  command = await bundleProgram(new URL('../../cli/main.ts', import.meta.url));
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true', SLIPWAY_BUILT_IN_DATASETS: 'true' });
  folder = join(platform.folder, 'project');
  await mkdir(join(platform.folder, 'home'));
  await cloneProject(folder);
  addresses = new Map([
    ['http://127.0.0.1:8080', platform.baseUrl],
    ['http://127.0.0.1:9000', process.env.OIDC_ISSUER ?? ''],
    ['7070', String(await findTestPortBase())],
  ]);
}, 1_800_000);
afterAll(async () => {
  await platform.stop();
});

const isRun = ({ language, notRun }: Block): boolean => language === COMMANDS && notRun === undefined;
const pages = pagesWithCommands().filter((page) => readBlocks(page).some(isRun));

test.each(pages)('the commands of %s run as they are, and print what the page shows', runPage, 1_800_000);

async function runPage(page: string): Promise<void> {
  const blocks = readBlocks(page);
  const commands = blocks
    .filter(isRun)
    .map((block) => ({ ...block, text: withCommand(page, withAddresses(block.text)) }));
  const { exitCode, outputs, all } = await runBlocks(commands, { folder, home: join(platform.folder, 'home') });
  expect({ page, exitCode, all: exitCode === 0 ? '' : all }).toEqual({ page, exitCode: 0, all: '' });
  expect(outputs.size).toBe(commands.length);
  for (const { shown, printed } of shownOutputs(blocks, outputs)) {
    expect(comparable(printed)).toContain(comparable(shown));
  }
}

/** Blocks of output right after commands, with what these commands printed. */
function shownOutputs(blocks: readonly Block[], outputs: ReadonlyMap<number, string>) {
  return blocks.flatMap(({ follows, language, text }, at) => {
    const before = blocks[at - 1];
    if (!follows || !['text', 'json'].includes(language) || before === undefined || !isRun(before)) return [];
    return [{ shown: text, printed: outputs.get(before.line) ?? '' }];
  });
}

function withAddresses(text: string): string {
  const replaced = [...addresses].reduce((before, [from, to]) => before.replaceAll(from, to), text);
  const own = [...addresses.values()].join(' ');
  const foreign = [...replaced.matchAll(/127\.0\.0\.1:(\d+)/g)].filter(([, port = '']) => !own.includes(port));
  expect(foreign).toEqual([]); // a page must not reach another platform on this machine
  return replaced;
}

/** Starting npx takes longer than the command itself, so only one page runs it as it is. */
const withCommand = (page: string, text: string): string =>
  page === 'docs/reference/cli.md' ? text : text.replaceAll('npx slipway', `node ${command}`);

/** Output without what differs from run to run: times, ids, digests, measured numbers. */
const comparable = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{12,}/g, '#')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/#(\.#)+/g, '#');
