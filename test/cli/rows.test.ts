import { expect, test } from 'vitest';
import { declareAll } from '../api/reference/test-reference.js';
import { cellsOf } from './notification-story.js';
import { startReference } from './reference-story.js';

const { api, slipway } = await startReference();
await declareAll(api);
const EXACT = '9007199254740993';
for (const [id, name, level] of [
  ['1', 'Welding', '3'],
  ['2', 'Rigging', '1'],
  ['3', 'Wiring', EXACT],
]) {
  await api.call('PUT', `/v2/skills/${id}`, {
    raw: `{"name":"${name}","level":${level}}`,
    headers: { 'content-type': 'application/json', 'if-none-match': '*' },
  });
}
const run = (...args: string[]) => slipway.run(args);

test('rows are a table of their own fields; a filter and a limit leave some out', async () => {
  const all = await run('rows', 'skills', '--order-by', 'name');
  expect(cellsOf(all.out)).toEqual([
    ['ID', 'NAME', 'LEVEL'],
    ['2', 'Rigging', '1'],
    ['1', 'Welding', '3'],
    ['3', 'Wiring', EXACT],
  ]);
  expect(all.err).toBe('');
  expect((await run('rows', 'skills', '--filter', 'level > 2', '--order-by', 'name', '-o', 'name')).out).toBe('1\n3\n');
  const limited = await run('rows', 'skills', '--limit', '2', '-o', 'name');
  expect(limited).toMatchObject({
    out: '1\n2\n',
    err: '2 of 3 rows: use a higher --limit, or a --filter, for the others\n',
  });
  expect((await run('rows', 'skills', '--filter', 'level == 99')).err).toBe('dataset skills has no rows that match\n');
});

test('data has every digit', async () => {
  const lines = (await run('rows', 'skills', '-o', 'ndjson')).out.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toContain(`"level":"${EXACT}"`);
  expect((await run('rows', 'skills', '-o', 'json')).out).toContain(`"level": "${EXACT}"`);
  expect((await run('rows', 'skills', '-o', 'yaml')).out).toContain(`level: "${EXACT}"`);
  expect((await run('row', 'skills', '3')).out).toContain(`level: "${EXACT}"\n`);
  expect((await run('row', 'skills', '3', '-o', 'json')).out).toContain(`"level": "${EXACT}"`);
});

test('what cannot be read is an error that says what to do', async () => {
  expect(await run('rows', 'keys')).toMatchObject({
    exitCode: 2,
    err: 'Error: dataset "keys": "keys" is a path of the service itself; "slipway get datasets" shows those there are\n',
  });
  expect(await run('row', 'skills', '77')).toMatchObject({ exitCode: 4, out: '' });
  const filter = await run('rows', 'skills', '--filter', 'leval > 2');
  expect(filter.exitCode).toBe(2);
  expect(filter.err).toContain('leval');
});
