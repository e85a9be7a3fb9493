import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pagesOfProject } from './blocks.js';

const pages = pagesOfProject();

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

test('every relative link of a page leads to a file and a heading', () => {
  const links = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
  );
  const relative = links.filter(({ link }) => !/^[a-z]+:/.test(link));
  expect(relative.length).toBeGreaterThan(100);
  expect(relative.filter(({ page, link }) => isBroken(page, link))).toEqual([]);
});

test('the index names every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const inDocs = pages.filter((page) => /^docs\/(?!decisions\/.)/.test(page) && page !== 'docs/README.md');
  expect(inDocs.filter((page) => !index.includes(`(${page.slice('docs/'.length)})`))).toEqual([]);
});
