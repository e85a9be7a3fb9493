import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { readReferencePages } from './tables/pages.js';

/** `npm run docs`: renews the generated parts of the reference pages from the code. */
for (const { path, found, renewed } of await readReferencePages()) {
  if (renewed === found) continue;
  await writeFile(path, renewed);
  process.stdout.write(`${relative(process.cwd(), path)}\n`);
}
