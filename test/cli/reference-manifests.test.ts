import { expect, test } from 'vitest';
import { cellsOf } from './notification-story.js';
import { startReference } from './reference-story.js';

const { api, slipway, apply } = await startReference();

const DATASET = `
kind: Dataset
id: courses
spec:
  title: Courses
  fields: { name: { type: text, required: true }, level: { type: integer } }
`;
const REST = (name: string) => `
kind: Watch
id: ${name}
spec: { scope: { dataset: courses, filter: level > 2 }, each: set, period: P1D }
---
kind: Subscription
id: ${name}
spec: { url: https://hooks.example/, types: [dataset.courses.*], headers: { x-team: blue } }
---
kind: ApiKey
id: ${name}
spec: { scopes: [data:read:courses] }
`;

test('all four kinds are applied in the order of dependency; a secret is printed once', async () => {
  const first = await apply(`${REST('all')}---${DATASET}`);
  expect([first.exitCode, first.err]).toEqual([0, '']);
  const [key = '', subscription = ''] = /slp_\S+/.exec(first.out)
    ? (first.out.match(/secret (\S+)/g)?.map(String) ?? [])
    : [];
  expect(key).toMatch(/^secret slp_k/);
  expect(subscription).toMatch(/^secret whsec_/);
  expect(first.out.split('\n').map((line) => line.replace(/secret .*/, 'secret'))).toEqual([
    'dataset/courses created',
    'key/all created',
    'key/all secret',
    'subscription/all created',
    'subscription/all secret',
    'watch/all created',
    '',
  ]);
  expect((await api.call('GET', '/v2/courses', { key: key.slice(7) })).status).toBe(200);
  const again = await apply(`${REST('all')}---${DATASET}`);
  expect(again.out).toBe(
    'dataset/courses unchanged\nkey/all unchanged\nsubscription/all updated\nwatch/all unchanged\n',
  );
  const shown = await slipway.run(['get', 'subscription', 'all', '-o', 'yaml']);
  expect(`${shown.out}${again.out}${again.err}`).not.toMatch(/slp_|whsec_|blue/);
  expect((await apply(shown.out)).out).toMatch(/^subscription\/sub_\w+ unchanged\n$/);
});

test('a change is shown by diff without secrets, and clears what the manifest leaves out', async () => {
  await apply(`${REST('changed')}---${DATASET}`);
  const watch = `
kind: Watch
id: changed
spec: { scope: { stream: pipeline, types: [pipeline.run.succeeded] }, period: { cron: 0 3 * * *, zone: UTC } }
`;
  const diff = await slipway.run(['diff', '-f', await slipway.file(watch)]);
  expect(diff.exitCode).toBe(1);
  expect(diff.out).toContain('-    dataset: courses\n');
  expect((await apply(watch)).out).toBe('watch/changed updated\n');
  const { out } = await slipway.run(['get', 'watch', 'changed', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({
    kind: 'Watch',
    generation: 2,
    spec: { name: 'changed', scope: { stream: 'pipeline', filter: null }, period: { zone: 'UTC' }, each: 'entity' },
  });
  const headless = REST('changed').split('---')[1]?.replace(', headers: { x-team: blue }', '') ?? '';
  expect((await slipway.run(['diff', '-f', await slipway.file(headless)])).out).toContain('-    x-team: "*****"');
  await apply(headless);
  const subscription = JSON.parse((await slipway.run(['get', 'sub', 'changed', '-o', 'json'])).out) as object;
  expect(subscription).toMatchObject({ generation: 2, spec: { headers: {} } });
});

test('lists, descriptions and deletions take a name or the id that the server drew', async () => {
  await apply(`${REST('named')}---${DATASET}`);
  const [headers, ...rows] = cellsOf((await slipway.run(['get', 'watches'])).out);
  expect(headers).toEqual(['ID', 'NAME', 'STATE', 'SCOPE', 'PERIOD', 'DUE', 'AGE']);
  const [id = ''] = rows.find((row) => row[1] === 'named') ?? [];
  expect(id).toMatch(/^wat_/);
  expect((await slipway.run(['get', 'watches', '--state', 'paused', '-o', 'name'])).err).toContain('that match');
  expect((await slipway.run(['get', 'watches', '--filter', 'a=b'])).exitCode).toBe(2);
  expect((await slipway.run(['describe', 'watch', 'named'])).out).toMatch(
    /^watch\/wat_\w+\n {2}state +active\n {2}name +named\n {2}observes +courses\n/,
  );
  expect((await slipway.run(['describe', 'watch', id])).out).toContain('named');
  expect((await slipway.run(['describe', 'dataset', 'courses'])).out).toContain('fields    name=text level=integer');
  expect((await slipway.run(['delete', 'watch', id])).out).toBe(`watch/${id} deleted\n`);
  expect((await slipway.run(['delete', 'watch', 'named'])).err).toContain('there is no watch with the name "named"');
  expect((await slipway.run(['delete', 'keys', 'named'])).out).toBe('key/named deleted\n');
  expect((await slipway.run(['get', 'key', 'named'])).exitCode).toBe(4);
});

test('a name that several have needs an id', async () => {
  for (const url of ['https://one.example/', 'https://two.example/']) {
    await api.call('POST', '/v2/subscriptions', { body: { name: 'twice', url, types: ['dataset.courses.*'] } });
  }
  const { exitCode, err } = await slipway.run(['get', 'subscription', 'twice']);
  expect(exitCode).toBe(5);
  expect(err).toMatch(/more than one subscription has the name "twice": use one of the ids sub_\w+, sub_\w+/);
});

// prettier-ignore
test.each([
  ['kind: Watch\nid: a\nspec: { scope: { dataset: courses }, perod: P1D }', ['spec.perod is no field: did you mean period?']],
  ['kind: Watch\nid: wat_none\nspec: { scope: { dataset: courses }, period: P1D }', ['id there is no watch "wat_none": ids are drawn by the server, so use a name to create one']],
  ['kind: Dataset\nid: keys\nspec: { fields: { name: { type: text } } }', ['id "keys" is a path of the service itself']],
  ['kind: Dataset\nid: a\nspec: { fields: { name: { type: txt } } }', ['spec.fields.name.type must be an object with a type of: text,']],
  ['kind: ApiKey\nid: a\nspec: { scopes: [everything] }', ['spec.scopes.0 must be ']],
  ['kind: Subscription\nspec: { types: [a] }', ['id is required: a name']],
])('%j is refused before anything is sent', async (manifest, messages) => {
  const { exitCode, out, err } = await apply(manifest);
  expect([exitCode, out]).toEqual([2, '']);
  for (const message of messages) expect(err).toContain(message);
});

test('a key cannot be changed', async () => {
  await apply(DATASET);
  const key = (scope: string) => `kind: ApiKey\nid: fixed\nspec: { scopes: [${scope}] }`;
  await apply(key('data:read:courses'));
  const { exitCode, err } = await apply(key('data:write:courses'));
  expect(exitCode).toBe(2);
  expect(err).toContain('a key cannot be changed: delete key "fixed" and apply again, or use another id');
});

test('a declaration that takes fields back says how to force it', async () => {
  await apply(DATASET.replace('courses', 'narrow'));
  const narrower = 'kind: Dataset\nid: narrow\nspec: { fields: { name: { type: text, required: true } } }';
  const { exitCode, err } = await apply(narrower);
  expect(exitCode).toBe(5);
  expect(err).toContain('only with force=true: level is gone');
  expect(err).toContain('"slipway apply --force" takes fields back that every row allows');
  expect((await apply(narrower, '--force')).out).toBe('dataset/narrow updated\n');
});

test('a shell completes names of datasets', async () => {
  await apply(DATASET);
  for (const words of [
    ['rows', ''],
    ['import', ''],
    ['get', 'dataset', ''],
  ]) {
    const { out } = await slipway.run(['__complete', '--', ...words]);
    expect(out.split('\n')).toContain('courses');
  }
  expect((await slipway.run(['__complete', '--', 'import', 'courses', ''])).out).toBe(':files\n');
});
