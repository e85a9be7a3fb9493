import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Block {
  /** Line of the opening fence. */
  line: number;
  language: string;
  text: string;
  /** Why a test does not run it. */
  notRun?: string;
  /** Whether only blank lines are between this block and the one before. */
  follows: boolean;
}

export const COMMANDS = 'sh';
const FENCE = /^```(.*)$/;
const NOT_RUN = /^<!-- not run:(.*)-->$/;

/** Pages for people who change the project or read its measurements. */
const OTHER_PAGES = /^(CONTRIBUTING|bench\/)/;

/** The pages whose commands a reader of the documentation runs. */
export const pagesWithCommands = (): string[] => pagesOfProject().filter((page) => !OTHER_PAGES.test(page));

/** Every Markdown page of the project. */
export const pagesOfProject = (): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.md'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

export const readBlocks = (page: string): Block[] => parseBlocks(readFileSync(page, 'utf8'));

export function parseBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let follows = false;
  for (let at = 0; at < lines.length; at += 1) {
    const language = FENCE.exec(lines[at] ?? '')?.[1];
    if (language === undefined) {
      follows &&= lines[at] === '';
      continue;
    }
    const end = lines.indexOf('```', at + 1);
    const notRun = NOT_RUN.exec(lines[at - 1] ?? '')?.[1]?.trim();
    const body = lines.slice(at + 1, end).map((line) => `${line}\n`);
    blocks.push({ line: at + 1, language, text: body.join(''), follows, ...(notRun !== undefined && { notRun }) });
    at = end;
    follows = true;
  }
  return blocks;
}
