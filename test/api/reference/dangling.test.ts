import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMissing } from '../../../api/reference/missing.js';
import { createReferenceAudits } from '../../../reference/stores/reference-audits.js';
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
  expect((await api.call('DELETE', target, { headers: { 'if-match': '*' } })).status).toBe(204);
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
  const skill = (await api.call('POST', '/v2/skills', { body: { name: 'Soon gone' } })).body.id;
  const body = { title: 'Of it', staffing_status: 'Open', skills: [{ id: skill }] };
  expect((await api.call('POST', '/v2/positions', { body })).status).toBe(201);
  const audits = createReferenceAudits({ datasets: api.datasets, lookMs: 5 });
  expect(audits.last('positions')).toBeUndefined();
  audits.start();
  const deadline = Date.now() + 120_000;
  while (audits.last('positions') === undefined && Date.now() < deadline)
    await new Promise((next) => setImmediate(next));
  audits.stop();
  const { total_rows, total_references } = (await api.call('GET', '/v2/datasets/positions/dangling')).body;
  expect(audits.last('positions')).toMatchObject({ rows: total_rows, references: total_references });
  const read = await api.call('GET', '/v2/datasets/positions');
  expect(read.body.status.dangling).toMatchObject({ rows: total_rows, version: read.body.status.version });
  const tag = { 'if-none-match': read.headers.get('etag') ?? '' };
  expect((await api.call('GET', '/v2/datasets/positions', { headers: tag })).status).toBe(304);
  await api.call('DELETE', `/v2/skills/${skill}`, { headers: { 'if-match': '*' } });
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

/** The marks of rows, as the audit has its references. */
function marked(items: Record<string, unknown>[], fields: Record<string, string>): Row[] {
  const found: Row[] = items.map((item) => ({
    id: item.id as string,
    references: Object.entries(fields).flatMap(([field, dataset]) =>
      ([item[field] ?? []].flat() as { id: string; missing?: true }[])
        .filter(({ missing }) => missing)
        .map(({ id }) => ({ field, dataset, id })),
    ),
  }));
  return found.filter(({ references }) => references.length > 0);
}

test('every way to read rows marks those references, and no others', async () => {
  const fields = { location: 'locations', home: 'locations', skills: 'skills' };
  const some = (await api.call('GET', '/v2/positions/search?q=skills.id=null=false')).body.items;
  for (const path of ['/v2/locations/8', `/v2/skills/${some.at(-1).skills[0].id}`]) {
    expect((await api.call('DELETE', path, { headers: { 'if-match': '*' } })).status).toBe(204);
  }
  const { rows: wanted } = await audited('positions', 200);
  expect([...new Set(wanted.flatMap(({ references }) => references.map(({ field }) => field)))].sort()).toEqual([
    'location',
    'skills',
  ]);
  const list = (await api.call('GET', '/v2/positions?page_size=500')).body.items;
  expect(marked(list, fields)).toEqual(wanted);
  const ids = list.map(({ id }: Row) => id);
  expect(marked((await api.call('GET', `/v2/positions?ids=${ids}`)).body.items, fields)).toEqual(wanted);
  const found = (await api.call('GET', '/v2/positions/search?q=version%20>%200&page_size=500')).body.items;
  expect(found).toEqual(list);
  const one = await Promise.all(ids.map(async (id: string) => (await api.call('GET', `/v2/positions/${id}`)).body));
  expect(one).toEqual(list);
  // And in other forms.
  const narrow = (await api.call('GET', '/v2/positions?page_size=500&fields=skills,location')).body.items;
  expect(marked(narrow, fields)).toEqual(wanted);
  const accept = { accept: 'application/json; ids=number' };
  const numbers = await api.call('GET', '/v2/positions?page_size=500', { headers: accept });
  expect(numbers.text.match(/"missing":true/g)).toHaveLength(wanted.flatMap(({ references }) => references).length);
  expect(numbers.text).toContain('{"id":8,"missing":true}');
});

test('a lookup marks them too, and its tag tells of it', async () => {
  const path = '/v2/locations/lookup?q=place&limit=50';
  const parentOf = async () =>
    (await api.call('GET', path)).body.items.find(({ id }: Row) => id === '7').parent as object;
  expect(await parentOf()).toEqual({ id: '3' });
  const tag = { 'if-none-match': (await api.call('GET', path)).headers.get('etag') ?? '' };
  expect((await api.call('GET', path, { headers: tag })).status).toBe(304);
  // A new declaration of the reference releases the row that it kept.
  const { spec } = (await api.call('GET', '/v2/datasets/locations')).body;
  spec.fields.parent.on_delete = 'keep';
  await api.call('PUT', '/v2/datasets/locations', { body: { kind: 'Dataset', id: 'locations', spec } });
  await api.call('DELETE', '/v2/locations/3', { headers: { 'if-match': '*' } });
  expect(await parentOf()).toEqual({ id: '3', missing: true });
  expect((await api.call('GET', path, { headers: tag })).status).toBe(200);
});

test('a mark comes and goes with its target, under another tag, and may be sent back', async () => {
  const skill = (await api.call('POST', '/v2/skills', { body: { name: 'Here today' } })).body.id as string;
  const path =
    (
      await api.call('POST', '/v2/positions', {
        body: { title: 'P', staffing_status: 'Open', skills: [{ id: skill }] },
      })
    ).headers.get('location') ?? '';
  const before = await api.call('GET', path);
  expect(before.body.skills).toEqual([{ id: skill }]);
  const page = await api.call('GET', '/v2/positions');
  const tagOf = (reply: { headers: Headers }) => ({ 'if-none-match': reply.headers.get('etag') ?? '' });
  await api.call('DELETE', `/v2/skills/${skill}`, { headers: { 'if-match': '*' } });
  expect((await api.call('GET', path, { headers: tagOf(before) })).status).toBe(200);
  expect((await api.call('GET', '/v2/positions', { headers: tagOf(page) })).status).toBe(200);
  const gone = await api.call('GET', path);
  expect(gone.body).toEqual({ ...before.body, skills: [{ id: skill, missing: true }] });
  expect((await api.call('GET', path, { headers: tagOf(gone) })).status).toBe(304);
  // References to datasets that the caller may not read are not marked; the rest is the same.
  const narrow = await api.call('GET', path, { as: ['data:read:positions'] });
  expect([narrow.text, narrow.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  const ifMatch = { 'if-match': gone.headers.get('etag') ?? '' };
  expect((await api.call('PUT', path, { body: gone.body, headers: ifMatch })).body.errors).toMatchObject([
    { code: 'entity.unknown_reference', pointer: '/skills/0/id' },
  ]);
  await api.call('PUT', `/v2/skills/${skill}`, { body: { name: 'Back' }, headers: { 'if-none-match': '*' } });
  expect((await api.call('GET', path)).text).toBe(before.text);
  const put = await api.call('PUT', path, { body: gone.body, headers: ifMatch });
  expect([put.status, put.body.skills]).toEqual([200, [{ id: skill }]]);
});

test('missing references are computed again after a change of the referenced dataset, and not before', async () => {
  const all = ['data:read:*'];
  const open = (scopes = all) => openMissing(api.datasets, api.datasets.get('positions'), { scopes });
  const skill = (await api.call('POST', '/v2/skills', { body: { name: 'Seen' } })).body.id as string;
  let before = open();
  expect([before?.is('skills', BigInt(skill)), open()]).toEqual([false, before]);
  expect(open()).toBe(before);
  const narrow = open(['data:read:locations']);
  expect([narrow?.is('skills', 1n), before?.is('skills', 1n)]).toEqual([false, true]);
  expect(open(['data:read:positions'])).toBeUndefined();
  const isNew = () => {
    const now = open();
    const differs = now !== before;
    before = now;
    return differs;
  };
  const version = api.datasets.get('skills').dataset.replica.visible;
  await api.call('POST', '/v2/datasets/skills/pin', { body: { version: version - 1, reason: 'before it' } });
  expect([isNew(), before?.is('skills', BigInt(skill))]).toEqual([true, true]);
  await api.call('POST', '/v2/datasets/skills/unpin', { body: {} });
  expect([isNew(), before?.is('skills', BigInt(skill))]).toEqual([true, false]);
  await api.call('PUT', '/v2/locations/77', { body: { name: 'Elsewhere' } });
  expect(isNew()).toBe(true);
  expect(open(['data:read:locations'])).not.toBe(narrow);
  expect(isNew()).toBe(false);
});
