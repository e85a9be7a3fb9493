import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createHandler } from '../../receiver/handler.js';
import { memoryEffectFirst } from '../../receiver/memory.js';

interface Package {
  version: string;
  exports: Record<string, unknown>;
  dependencies?: object;
}
const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Package;

test('the receiver alone has the version and the subpaths of the whole package, and no dependency', async () => {
  const [whole, alone] = await Promise.all([read('package.json'), read('receiver/package.json')]);
  expect([alone.version, alone.dependencies]).toEqual([whole.version, undefined]);
  const subpaths = Object.keys(whole.exports).filter((path) => path.startsWith('./receiver'));
  expect(Object.keys(alone.exports)).toEqual([
    ...subpaths.map((path) => path.replace('./receiver', '.')),
    './package.json',
  ]);
});

test('a secret that is not set is named as that', () => {
  const secrets = [process.env.SLIPWAY_NO_SUCH_SECRET] as string[]; // a program in JavaScript has no such check
  const options = { path: '/hook', secrets, store: memoryEffectFirst(), effect: async () => undefined };
  expect(() => createHandler(options)).toThrow('a secret is undefined: set the variable that it comes from');
});
