import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();

const connection = (id: string) => `kind: Connection
id: ${id}
spec: { type: git, uri: https://example.org/${id}.git }
`;
const asJson = (id: string) =>
  JSON.stringify({ kind: 'Connection', id, spec: { type: 'git', uri: `https://example.org/${id}.git` } });

/** Writes files below a new folder. @returns its path */
async function folder(name: string, files: Record<string, string>): Promise<string> {
  const root = join(slipway.folder, name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), text);
  }
  return root;
}
/** The connections that a command would create, without creating them. */
async function planned(args: string[], stdin = '') {
  const { exitCode, out, err } = await slipway.run(['apply', '--dry-run', ...args], { stdin });
  const names = out.split('\n').flatMap((line) => /^connection\/(\S+) created/.exec(line)?.[1] ?? []);
  return { exitCode, names, err: err.replaceAll(`${slipway.folder}/`, '') };
}

// prettier-ignore
test.each<[string, string, string[]]>([
  ['one document', connection('one'), ['one']],
  ['several documents', `${connection('one')}---\n${connection('two')}`, ['one', 'two']],
  ['a marker before and behind', `---\n${connection('one')}---\n`, ['one']],
  ['documents with nothing but a comment', `# first\n---\n${connection('one')}---\n# last\n`, ['one']],
  ['lines of Windows', connection('one').replaceAll('\n', '\r\n'), ['one']],
  ['a byte order mark', `\uFEFF${connection('one')}`, ['one']],
  ['JSON', asJson('one'), ['one']],
  ['a list', `[${asJson('one')}, ${asJson('two')}]`, ['one', 'two']],
  ['a list of YAML', `- kind: Connection\n  id: one\n  spec: { type: git, uri: https://example.org/x.git }\n`, ['one']],
  ['an anchor', `kind: Connection\nid: &name one\nspec: { type: git, uri: https://example.org/x.git, description: *name }\n`, ['one']],
  ['a merge key', `kind: Connection\nid: one\nspec:\n  <<: { type: git, uri: https://example.org/x.git }\n`, ['one']],
  ['documents that are null', `~\n---\n${connection('one')}---\nnull\n`, ['one']],
])('a manifest of %s is read', async (_name, text, names) => {
  expect(await planned(['-f', '-'], text)).toEqual({ exitCode: 0, names, err: '' });
});

// prettier-ignore
test.each<[string, string, RegExp]>([
  ['nothing', '', /no document found/],
  ['nothing but comments', '# later\n', /no document found/],
  ['an empty list', '[]', /no document found/],
  ['a text', 'wine', /bad\.yaml:1: /],
  ['a number', '42', /bad\.yaml:1: /],
  ['no id', 'kind: Connection\nspec: { type: git, uri: https://example.org/x.git }\n', /bad\.yaml:\d+: /],
  ['no spec', 'kind: Connection\nid: one\n', /bad\.yaml:\d+: /],
  ['a kind that is null', 'kind: ~\nid: one\n', /bad\.yaml:1: the document has no kind/],
  ['a kind that is a list', 'kind: [Connection]\nid: one\n', /bad\.yaml:1: .*\["Connection"\]/],
  ['a kind of another case', 'kind: connection\nid: one\n', /bad\.yaml:1: .*"connection".*Connection/],
  ['a kind that only the server makes', 'kind: PipelineRun\nid: wine-1\n', /bad\.yaml:1: .*"PipelineRun"/],
  ['a quote that is not closed', 'kind: Connection\nid: "one\n', /bad\.yaml:\d+: /],
  ['a tab as indentation', 'kind: Connection\nid: one\nspec:\n\ttype: git\n', /bad\.yaml:4: /],
  ['the same key twice', 'kind: Connection\nid: one\nid: two\n', /bad\.yaml:3: /],
  ['an alias without anchor', 'kind: Connection\nid: *absent\n', /bad\.yaml:1: .*absent/],
  ['aliases that grow beyond measure', `a: &a [${'1,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\nc: &c [${'*b,'.repeat(99)}]\nkind: [${'*c,'.repeat(99)}]\n`, /bad\.yaml:1: /],
  ['JSON that is cut', '{ "kind": "Connection", "id": ', /bad\.yaml:\d+: /],
  ['a good document before a bad one', `${connection('one')}---\nkind: Conection\nid: two\n`, /bad\.yaml:5: .*"Conection"/],
])('a manifest of %s is refused with 2, and nothing of it is sent', async (_name, text, reason) => {
  const before = await api.connections.list();
  const file = await slipway.file(text, 'bad.yaml');
  const { exitCode, out, err } = await slipway.run(['apply', '-f', file]);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err).toMatch(reason);
  expect(err).not.toMatch(/\n {4}at /);
  expect(await api.connections.list()).toEqual(before);
});

test('the manifests of a folder are read by name, those of its folders with -R', async () => {
  const root = await folder('tree', {
    'b.yml': connection('b'),
    'a.YAML': connection('a'),
    'c.json': asJson('c'),
    'notes.txt': 'no manifest',
    'inner/d.yaml': connection('d'),
    'inner/deeper/e.yaml': connection('e'),
  });
  expect((await planned(['-f', root])).names).toEqual(['a', 'b', 'c']);
  expect((await planned(['-R', '-f', root])).names).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect((await planned(['-f', join(root, 'inner'), join(root, 'b.yml')])).names).toEqual(['d', 'b']);
  // Named itself, a file is read whatever its name.
  await writeFile(join(root, 'notes.txt'), connection('f'));
  expect((await planned(['-f', join(root, 'notes.txt'), '-'], connection('g'))).names).toEqual(['f', 'g']);
});

test('a folder without manifests is refused, and says when its folders have some', async () => {
  const root = await folder('empty', { 'README.md': 'nothing', 'inner/a.yaml': connection('a') });
  const flat = await planned(['-f', root]);
  expect([flat.exitCode, flat.err]).toEqual([2, expect.stringContaining('-R')]);
  expect((await planned(['-R', '-f', root])).names).toEqual(['a']);
  const bare = await folder('bare', { 'x.txt': '' });
  expect(await planned(['-R', '-f', bare])).toMatchObject({ exitCode: 2, err: expect.not.stringContaining('-R') });
});

test.each([
  ['absent.yaml', 'absent.yaml'],
  ['absent/folder', 'absent/folder'],
])('a path that does not exist is named: %s', async (path, named) => {
  const { exitCode, err } = await planned(['-f', join(slipway.folder, path)]);
  expect([exitCode, err]).toEqual([2, expect.stringContaining(named)]);
});

test('a file that cannot be read is named', async () => {
  const file = '/proc/self/mem'; // reading it fails for every user
  expect((await slipway.run(['apply', '-f', file])).err).toContain(file);
});

test('without -f, or with an empty standard input, nothing happens', async () => {
  expect((await slipway.run(['apply'])).exitCode).toBe(2);
  expect((await slipway.run(['diff'])).exitCode).toBe(2);
  expect(await planned(['-f', '-'])).toMatchObject({ exitCode: 2, names: [] });
});

test('the same object in two files is a problem with both places', async () => {
  const root = await folder('twice', { 'a.yaml': `# a comment\n${connection('same')}`, 'b.yaml': connection('same') });
  const { exitCode, err } = await planned(['-f', root]);
  expect([exitCode, err]).toEqual([2, expect.stringMatching(/twice\/b\.yaml:1: .*twice\/a\.yaml:2/)]);
});

test('problems of all files are counted and listed together', async () => {
  const root = await folder('many', {
    'a.yaml': 'kind: Conection\n',
    'b.yaml': 'id: "open\n',
    'c.yaml': connection('good'),
  });
  const { exitCode, err } = await planned(['-f', root]);
  expect(exitCode).toBe(2);
  expect(err).toMatch(/^Error: 2 problems/);
  for (const file of ['a.yaml:1', 'b.yaml:']) expect(err).toContain(`many/${file}`);
});

const training = (fields: string) => `kind: ModelTraining
id: typed
spec:
  model: { name: wine, version: 1.10 }
  toolchain: ml-toolchain
  algorithmSource: { vcs: { connection: typed } }
  ${fields}
`;
test('numbers stay as they were written, except in arguments of a packaging', async () => {
  const packaging = `kind: ModelPackaging
id: typed
spec: { integrationName: container-rest, artifactName: 0x10, arguments: { workers: 2.0 } }
`;
  const fields = 'hyperParameters: { exact: 1.0, large: 12345678901234567890, hex: 0x1F, exponent: 1e3, flag: true }';
  const file = await slipway.file(`${connection('typed')}---\n${training(fields)}---\n${packaging}`);
  expect(await slipway.run(['apply', '-f', file])).toMatchObject({ exitCode: 0, err: '' });
  expect((await api.trainings.get('typed'))?.spec).toMatchObject({
    model: { version: '1.10' },
    hyperParameters: { exact: '1.0', large: '12345678901234567890', hex: '0x1F', exponent: '1e3', flag: 'true' },
  });
  expect((await api.packagings.get('typed'))?.spec).toMatchObject({
    artifactName: '0x10',
    arguments: { workers: 2 },
  });
});

test.each([
  ['hyperParameter: {}', /:7: spec\.hyperParameter .*hyperParameters/],
  ['data: [{ conection: typed, localPath: x }]', /:7: spec\.data\.0\.conection .*connection/],
  ['entirelyUnknown: 1', /:7: spec\.entirelyUnknown (?!.*did you mean)/],
])('an unknown field is refused with its line: %s', async (fields, problem) => {
  const file = await slipway.file(`${training(fields)}---\n${connection('typed')}`);
  const { exitCode, err } = await slipway.run(['apply', '-f', file]);
  expect([exitCode, err]).toEqual([2, expect.stringMatching(problem)]);
});

test('a field without effect is named as ignored, and the manifest applied', async () => {
  const file = await slipway.file(
    'apiVersion: v1\nkind: ModelRoute\nid: ignoring\nspec: { urlPrefix: /custom/x, attempts: 3, modelDeployments: [{ mdName: x }] }\n',
  );
  expect((await slipway.run(['diff', '-f', file])).err).toMatch(
    /:1: apiVersion has no effect and is ignored\n.*:4: spec\.attempts has no effect and is ignored/,
  );
});

test.each(['_note: kept for people', 'entirelyUnknown: ~', "entirelyUnknown: ''"])(
  'a comment or an empty value is no warning: %s',
  async (fields) => {
    const file = await slipway.file(`${training(fields)}---\n${connection('typed')}`);
    expect((await slipway.run(['diff', '-f', file])).err).toBe('');
  },
);
