import { expect, test } from 'vitest';
import { declareAll } from '../api/reference/test-reference.js';
import { begin } from './begin.js';
import { endImport, startReference, uploadedTo } from './reference-story.js';

const started: string[] = [];
const { api, slipway } = await startReference({
  changes: {
    importRuns: {
      start: async ({ id }) => void started.push(id),
      cancel: async (id) => endImport(api, id, { state: 'canceled' }),
    },
  },
});
await declareAll(api);
const ROWS = '{"id":"1","name":"Welding"}\n{"id":"2","name":"Rigging"}\n';
const COUNTS = { rows_read: 2, created: 2, updated: 0, unchanged: 0, deleted: 0, failed: 0 };

/** Runs an import whose worker ends it so. */
async function importAs(end: Parameters<typeof endImport>[2], ...args: string[]) {
  const known = started.length;
  const command = begin(slipway, ['import', 'skills', ...args]);
  await expect.poll(() => started.length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(known);
  const id = started.at(-1) ?? '';
  await endImport(api, id, end);
  return { id, ...(await command.ended) };
}

test('a file is uploaded, followed and reported in one line', async () => {
  const file = await slipway.file(ROWS, 'skills.ndjson');
  const { id, exitCode, out, err } = await importAs({ state: 'succeeded', counts: COUNTS, version_to: 9 }, file);
  expect([exitCode, out]).toEqual([0, `import skills/${id} succeeded: 2 rows read, 2 created; version 9\n`]);
  expect(err).toContain('0.0 MiB uploaded\n');
  expect(await uploadedTo(api, id)).toBe(ROWS);
});

test('standard input needs a format, and options reach the server', async () => {
  expect(await slipway.run(['import', 'skills', '-'], { stdin: 'id,name\n1,a\n' })).toMatchObject({
    exitCode: 2,
    err: 'Error: the format of "-" is not known: use --format ndjson or --format csv\n',
  });
  const options = ['--format', 'csv', '--mode', 'replace', '--dry-run', '--on-error', 'skip', '--max-errors', '7'];
  const args = ['import', 'skills', '-', ...options, '--announce', 'at_end', '--no-wait'];
  const { out, err } = await slipway.run(args, { stdin: 'id,name\n1,a\n' });
  const name = out.trimEnd();
  expect(err).toContain(`follow with "slipway imports wait ${name}"`);
  const { body } = await api.call('GET', `/v2/skills/imports/${name.split('/')[1]}`);
  expect(body.spec).toEqual({
    ...{ format: 'csv', mode: 'replace', dry_run: true, on_error: 'skip', max_errors: 7, announce: 'at_end' },
  });
  expect((await slipway.run(['imports', 'describe', name])).out).toContain('replace, dry run');
  expect((await slipway.run(['imports', 'cancel', name])).out).toBe(`import ${name} canceled\n`);
  expect(await slipway.run(['imports', 'wait', name])).toMatchObject({ exitCode: 1, out: '' });
});

test('the imports of a dataset are listed, the newest first', async () => {
  const file = await slipway.file(ROWS, 'skills.ndjson');
  const { id } = await importAs({ state: 'succeeded', counts: COUNTS, version_to: 9 }, file);
  const { out } = await slipway.run(['imports', 'list', 'skills']);
  expect(out.split('\n')[0]).toMatch(/^IMPORT +STATE +MODE +ROWS +CREATED +BY$/);
  expect(out.split('\n')[1]).toMatch(new RegExp(`^skills/${id} +succeeded +upsert +2 rows read, 2 created `));
  const { out: json } = await slipway.run(['imports', 'list', 'skills', '--limit', '1', '-o', 'json']);
  expect(JSON.parse(json)).toEqual([expect.objectContaining({ id })]);
  expect((await slipway.run(['imports', 'list', 'positions'])).err).toContain('positions has no imports');
});

test('a failed import names its first errors and its reason', async () => {
  const file = await slipway.file('id,name\n1,\n', 'bad.csv');
  const errors = [{ line: 2, code: 'entity.required', pointer: '/name', message: 'is required' }];
  const end = {
    state: 'failed',
    counts: { ...COUNTS, created: 1, failed: 1 },
    errors,
    message: 'a row is invalid',
  } as const;
  const { id, exitCode, out, err } = await importAs(end, file);
  expect([exitCode, out]).toEqual([1, '']);
  expect(err).toContain('line 2: /name is required\n');
  expect(err).toContain(`import skills/${id} failed: 2 rows read, 1 created, 1 failed: a row is invalid\n`);
});

test('a part that arrived although its reply was lost is not sent twice', async () => {
  const file = await slipway.file(ROWS, 'cut.ndjson');
  let cut = false;
  const lossy: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (cut || !(input instanceof Request) || input.method !== 'PATCH') return response;
    cut = true;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  };
  const { exitCode, out } = await slipway.run(['import', 'skills', file, '--no-wait'], { fetch: lossy });
  expect([exitCode, cut]).toEqual([0, true]);
  expect(await uploadedTo(api, out.trimEnd().split('/')[1] ?? '')).toBe(ROWS);
});

test('an absent file and an absent dataset are refused before an import begins', async () => {
  expect(await slipway.run(['import', 'skills', '/absent.csv'])).toMatchObject({
    exitCode: 2,
    err: 'Error: /absent.csv: there is no such file\n',
  });
  const file = await slipway.file(ROWS, 'rows.ndjson');
  expect((await slipway.run(['import', 'absent', file])).exitCode).toBe(4);
  expect((await slipway.run(['imports', 'wait', 'skills'])).err).toContain('is not an import: use <dataset>/<id>');
});
