import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createReferenceAudits } from '../../../stores/reference-audits.js';
import { startTestGraph } from './graph-data.js';
import { declareAll, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestGraph();
});
afterAll(() => api.stop());

interface Row {
  id: string;
  references: { field: string; dataset: string; id: string }[];
}
/** Every page of the audit. */
async function audited(name: string, limit: number): Promise<{ rows: Row[]; total: unknown[] }> {
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const { body } = await api.call('GET', `/v2/datasets/${name}/dangling?limit=${limit}${after}`);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    rows.push(...body.items);
    if (body.next_after === undefined) return { rows, total: [body.total_rows, body.total_references] };
    after = `&after=${body.next_after}`;
  }
}

/** The same, by asking for each reference of each row. */
async function naive(name: string, fields: Record<string, string>): Promise<Row[]> {
  const { body } = await api.call('GET', `/v2/${name}?page_size=500`);
  const status = new Map<string, number>();
  const found: Row[] = [];
  for (const item of body.items) {
    const references: Row['references'] = [];
    for (const [field, dataset] of Object.entries(fields)) {
      for (const { id } of [item[field] ?? []].flat()) {
        const path = `/v2/${dataset}/${id}`;
        status.set(path, status.get(path) ?? (await api.call('GET', path)).status);
        if (status.get(path) !== 200) references.push({ field, dataset, id });
      }
    }
    if (references.length > 0) found.push({ id: item.id, references });
  }
  return found.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
}

test('references to nothing are those that lead to no row, page by page', async () => {
  const fields = { location: 'locations', home: 'locations', skills: 'skills' };
  const wanted = await naive('positions', fields);
  expect(wanted.length).toBeGreaterThan(10);
  const references = wanted.reduce((sum, row) => sum + row.references.length, 0);
  for (const limit of [7, 200]) {
    const { rows, total } = await audited('positions', limit);
    expect(rows).toEqual(wanted);
    expect(total).toEqual([wanted.length, references]);
  }
});

test('it follows what is written, in the dataset and in those that it refers to', async () => {
  const [first] = (await audited('positions', 1)).rows;
  const [reference] = first?.references ?? [];
  const before = await audited('positions', 200);
  const path = `/v2/positions/${first?.id}`;
  await api.call('PATCH', path, { body: { location: null, home: null, skills: [] }, headers: { 'if-match': '*' } });
  const after = await audited('positions', 200);
  expect(after.rows).toEqual(before.rows.slice(1));
  // And back comes what was missing.
  const target = `/v2/${reference?.dataset}/${reference?.id}`;
  expect((await api.call('PUT', target, { body: { name: 'back' }, headers: { 'if-none-match': '*' } })).status).toBe(
    201,
  );
  const rest = (await audited('positions', 200)).rows.flatMap((row) => row.references.map(({ id }) => id));
  expect(rest).not.toContain(reference?.id);
});

test('a reference that no filter may name is looked at too', async () => {
  const skills = { type: 'list', of: { type: 'ref', dataset: 'skills', on_delete: 'keep' }, filterable: false };
  const boss = { type: 'ref', dataset: 'people', on_delete: 'keep', filterable: false };
  await declareAll(api, { people: { fields: { nested: { type: 'object', fields: { skills } } } } });
  await api.call('PUT', '/v2/datasets/people', {
    body: { kind: 'Dataset', id: 'people', spec: { fields: { nested: { type: 'object', fields: { skills } }, boss } } },
  });
  const skill = (await api.call('POST', '/v2/skills', { body: { name: 'Short-lived' } })).body.id;
  await api.call('PUT', '/v2/people/1', { body: { nested: { skills: [{ id: skill }] } } });
  await api.call('PUT', '/v2/people/2', { body: { boss: { id: '1' } } });
  expect((await audited('people', 10)).rows).toEqual([]);
  await api.call('DELETE', `/v2/skills/${skill}`, { headers: { 'if-match': '*' } });
  await api.call('DELETE', '/v2/people/1', { headers: { 'if-match': '*' } });
  expect((await audited('people', 10)).rows).toEqual([
    { id: '2', references: [{ field: 'boss', dataset: 'people', id: '1' }] },
  ]);
  await api.call('PUT', '/v2/people/3', { body: { nested: { skills: [] } } });
  const other = (await api.call('POST', '/v2/skills', { body: { name: 'Gone' } })).body.id;
  await api.call('PUT', '/v2/people/3', {
    body: { nested: { skills: [{ id: other }] } },
    headers: { 'if-match': '*' },
  });
  await api.call('DELETE', `/v2/skills/${other}`, { headers: { 'if-match': '*' } });
  expect((await audited('people', 10)).rows).toContainEqual({
    id: '3',
    references: [{ field: 'nested.skills', dataset: 'skills', id: other }],
  });
});

test('what was found last is in the status, and the tag tells of it', async () => {
  const audits = createReferenceAudits({ datasets: api.datasets, lookMs: 5 });
  expect(audits.last('positions')).toBeUndefined();
  audits.start();
  const deadline = Date.now() + 20_000;
  while (audits.last('positions') === undefined && Date.now() < deadline)
    await new Promise((next) => setImmediate(next));
  audits.stop();
  const { total_rows, total_references } = (await api.call('GET', '/v2/datasets/positions/dangling')).body;
  expect(audits.last('positions')).toMatchObject({ rows: total_rows, references: total_references });
  const read = await api.call('GET', '/v2/datasets/positions');
  expect(read.body.status.dangling).toMatchObject({ rows: total_rows, version: read.body.status.version });
  const tag = { 'if-none-match': read.headers.get('etag') ?? '' };
  expect((await api.call('GET', '/v2/datasets/positions', { headers: tag })).status).toBe(304);
  await api.call('POST', '/v2/skills', { body: { name: 'Another' } });
  await api.call('GET', '/v2/datasets/positions/dangling');
  expect((await api.call('GET', '/v2/datasets/positions', { headers: tag })).status).toBe(200);
});

test('it takes the right to read what is referred to, and tells what is wrong with its parameters', async () => {
  const path = '/v2/datasets/positions/dangling';
  const as = ['data:read:positions', 'data:read:skills'];
  const refused = await api.call('GET', path, { as });
  expect([refused.status, refused.body.scope]).toEqual([403, 'data:read:locations']);
  expect((await api.call('GET', path, { as: [...as, 'data:read:locations'] })).status).toBe(200);
  for (const [query, code] of [
    ['limit=0', 'parameter.invalid'],
    ['limit=201', 'parameter.invalid'],
    ['after=x', 'id.malformed'],
    ['page=1', 'parameter.unknown'],
  ]) {
    expect((await api.call('GET', `${path}?${query}`)).body.code).toBe(code);
  }
  expect((await api.call('GET', '/v2/datasets/nothing/dangling')).body.code).toBe('dataset.not_found');
});
