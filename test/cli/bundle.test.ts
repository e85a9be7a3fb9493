import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execa } from 'execa';

/** A checkout with a command line of one sentence. */
let checkout: string;
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'slipway-checkout-'));
  await cp('cli/bin', join(checkout, 'cli', 'bin'), { recursive: true });
  await mkdir(join(checkout, 'node_modules'));
  await symlink(join(process.cwd(), 'node_modules', 'esbuild'), join(checkout, 'node_modules', 'esbuild'));
  await writeFile(join(checkout, 'package-lock.json'), '{}');
  await write('word.ts', "export const word: string = 'one';");
  await write('main.ts', "import { word } from './word.js';\nconsole.log(word, import.meta.url);");
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(join(checkout, 'cli', name), text);
async function run(): Promise<string> {
  const { stdout } = await execa(process.execPath, [join(checkout, 'cli', 'bin', 'slipway.mjs')], {
    env: { NODE_OPTIONS: '' },
  });
  return stdout;
}

test('a checkout compiles at the first start and after each change, and files are found beside the source', async () => {
  expect(await run()).toMatch(/^one file:.*\/cli\/main\.ts$/);
  await write('word.ts', "export const word: string = 'two!';");
  expect(await run()).toMatch(/^two! /);
});

test('a package without the list of sources runs as it was compiled', async () => {
  expect(await run()).toMatch(/^two! /);
  await rm(join(checkout, 'dist', 'cli', 'inputs.json'));
  await write('word.ts', "export const word: string = 'three';");
  await rm(join(checkout, 'node_modules'), { recursive: true });
  expect(await run()).toMatch(/^two! /);
});
