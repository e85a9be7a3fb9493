import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execa } from 'execa';
import { checkDocuments } from '../../cli/manifest/check.js';
import { parseSource } from '../../cli/manifest/parse.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let slipway: SlipwayRunner;
beforeAll(async () => {
  slipway = await createSlipwayRunner({});
});
afterAll(() => slipway.remove());

const read = (...path: string[]) => readFile(join(slipway.folder, ...path), 'utf8');

test('a project of a repository names its address and its place, without the token of the remote', async () => {
  const repository = join(slipway.folder, 'models');
  await mkdir(repository);
  await execa('git', ['init', '--quiet', repository]);
  await execa('git', ['-C', repository, 'remote', 'add', 'origin', 'https://ann:secret@git.example/models.git']);
  const { exitCode, err } = await slipway.run(['init', join(repository, 'My Wine')]);
  expect([exitCode, err]).toEqual([0, expect.stringContaining('slipway apply -f')]);
  const text = await read('models', 'My Wine', 'slipway.yaml');
  const { documents } = checkDocuments(parseSource({ name: 'slipway.yaml', text }).documents);
  expect(documents.map(({ id, body }) => [id, body.spec])).toEqual([
    ['my-wine-code', { type: 'git', uri: 'https://git.example/models.git' }],
    ['my-wine', expect.objectContaining({ workDir: 'My Wine', toolchain: 'ml-toolchain' })],
  ]);
  expect(await read('models', 'My Wine', 'MLproject')).toContain('name: my-wine\n');
});

test('files of a person are kept, and nothing is written beside them', async () => {
  const folder = join(slipway.folder, 'taken');
  await mkdir(folder);
  await writeFile(join(folder, 'train.py'), 'print()');
  const { exitCode, err } = await slipway.run(['init', folder]);
  expect([exitCode, err]).toEqual([2, expect.stringContaining('has train.py already: use another folder')]);
  expect(await readdir(folder)).toEqual(['train.py']);
});

test('a folder whose name gives no id needs one', async () => {
  const folder = join(slipway.folder, '2026');
  expect((await slipway.run(['init', folder])).err).toContain('"2026" gives no id: use --id');
  expect((await slipway.run(['init', folder, '--id', 'wine'])).exitCode).toBe(0);
  expect(await read('2026', 'slipway.yaml')).toContain('id: wine-code\n');
});
