import { existsSync } from 'node:fs';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { bundleProgram } from '../../../workers/compose/program.js';
import { inScratchFolder } from '../../stack/scratch.js';

const DAY_MS = 86_400_000;
const agedBy = (days: number): Date => new Date(Date.now() - days * DAY_MS);

test('a new bundle removes those of the same program that were not used for a week; a removed one is written again', async () => {
  await inScratchFolder(async (folder) => {
    const name = basename(folder);
    const source = join(folder, `${name}.ts`);
    await writeFile(source, 'console.log(1);');
    const bundle = await bundleProgram(pathToFileURL(source));
    onTestFinished(() => rm(bundle, { force: true }));
    expect(await bundleProgram(pathToFileURL(source))).toBe(bundle);

    const [old, recent, other] = [`${name}-old`, `${name}-recent`, `other-${name}`].map((file) =>
      join(dirname(bundle), `${file}.mjs`),
    ) as [string, string, string];
    for (const [file, days] of [
      [old, 8],
      [recent, 6],
      [other, 8],
    ] as const) {
      await writeFile(file, '');
      await utimes(file, agedBy(days), agedBy(days));
      onTestFinished(() => rm(file, { force: true }));
    }
    await rm(bundle);
    expect(await bundleProgram(pathToFileURL(source))).toBe(bundle);
    expect([bundle, old, recent, other].map((file) => existsSync(file))).toEqual([true, false, true, true]);
  });
});
