import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, SKILLS, startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { type Contract, openContract } from './contract.js';

let api: TestReference;
let contract: Contract;
const answers: Contract['answers'] = (...given) => contract.answers(...given);
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  contract = openContract(api, { dataset: 'skills', name: 'skills', id: '9007199254740993' });
});
afterAll(() => api.stop());

const ANY = { 'if-match': '*' };
const STALE = { 'if-match': '"99"' };
const NEW = { 'if-none-match': '*' };
const ABSENT = { dataset: 'absent', name: 'absent', id: '7' };
const XML = { raw: '<a/>', headers: { 'content-type': 'application/xml', ...ANY } };
const HUGE = { raw: `["${'x'.repeat(5 * 2 ** 20)}"]`, headers: { 'content-type': 'application/json', ...ANY } };

test('a row is created, read, changed and deleted, each time as the document says', async () => {
  await answers(201, 'put_any_dataset', { body: { name: 'Welding', level: 3 }, headers: NEW });
  const { headers } = await answers(200, 'read_any_dataset');
  const etag = headers.get('etag') ?? '';
  await answers(304, 'read_any_dataset', { headers: { 'if-none-match': etag } });
  await answers(200, 'read_any_dataset', { query: { fields: 'level' } });
  await answers(200, 'put_any_dataset', { body: { name: 'Welding', level: 4 }, headers: { 'if-match': etag } });
  await answers(200, 'patch_any_dataset', { body: { level: null }, headers: ANY });
  await answers(200, 'history_any_dataset');
  const { body } = await answers(201, 'create_any_dataset', { body: { name: 'Rigging' } });
  await answers(204, 'delete_any_dataset', { at: { id: body.id }, headers: ANY });
  await answers(410, 'read_any_dataset', { at: { id: body.id } });
  await answers(412, 'patch_any_dataset', { at: { id: body.id }, body: {}, headers: ANY });
  await answers(412, 'delete_any_dataset', { at: { id: body.id }, headers: ANY });
  await answers(410, 'delete_any_dataset', { at: { id: body.id } });
  await answers(200, 'history_any_dataset', { at: { id: body.id } });
});

test('a create that is repeated under its key finds the row that it made', async () => {
  const key = { 'idempotency-key': 'key-1' };
  const first = await answers(201, 'create_any_dataset', { body: { name: 'Painting' }, headers: key });
  const again = await answers(201, 'create_any_dataset', { body: { name: 'Painting' }, headers: key });
  expect(again.body).toEqual(first.body);
  await answers(422, 'create_any_dataset', { body: { name: 'Other' }, headers: key });
});

test('a write that names another state is refused with the statuses of the document', async () => {
  const body = { name: 'x' };
  for (const id of ['put_any_dataset', 'patch_any_dataset', 'delete_any_dataset']) {
    const sent = id.startsWith('delete') ? {} : { body };
    await answers(412, id, { ...sent, headers: STALE });
    await answers(428, id, sent);
    await answers(404, id, { ...sent, at: ABSENT, headers: ANY });
  }
  await answers(412, 'put_any_dataset', { body, headers: NEW });
  await answers(404, 'create_any_dataset', { body, at: ABSENT });
});

test.each(['put_any_dataset', 'patch_any_dataset', 'create_any_dataset', 'batch_any_dataset'])(
  '%s refuses a body of another type, and one that is too large',
  async (id) => {
    await answers(415, id, XML);
    await answers(413, id, HUGE);
  },
);

test('pages have the documented form, with and without rows, counts and explanations', async () => {
  await answers(200, 'list_any_dataset');
  const { headers } = await answers(200, 'list_any_dataset', { query: { page_size: '1', count: 'none' } });
  await answers(304, 'list_any_dataset', {
    query: { page_size: '1', count: 'none' },
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  const byId = await answers(200, 'list_any_dataset', { query: { ids: '9007199254740993,77' } });
  expect(byId.body.missing).toEqual(['77']);
  const q = { q: 'version > 0' };
  await answers(200, 'search_any_dataset', { query: { ...q, explain: 'true', page_size: '1' } });
  const found = await answers(200, 'search_any_dataset', { query: { ...q, page_size: '1' } });
  await answers(304, 'search_any_dataset', {
    query: { ...q, page_size: '1' },
    headers: { 'if-none-match': found.headers.get('etag') ?? '' },
  });
  await answers(200, 'search_any_dataset', { query: { q: 'name == "nothing at all"' } });
});

test('a read of what is not there, and in another type, is refused as documented', async () => {
  const queries: Record<string, Record<string, string>> = {
    search_any_dataset: { q: 'version > 0' },
    lookup_any_dataset: { q: 'a' },
  };
  for (const id of ['list_any_dataset', 'search_any_dataset', 'lookup_any_dataset', 'read_any_dataset']) {
    const query = queries[id] ?? {};
    await answers(404, id, { at: ABSENT, query });
    await answers(406, id, { query, headers: { accept: 'application/xml' } });
  }
  await answers(404, 'history_any_dataset', { at: ABSENT });
  await answers(404, 'batch_any_dataset', { at: ABSENT, body: [] });
});

test('a lookup answers with hits, also for nothing, and needs a dataset that has one', async () => {
  await answers(404, 'lookup_any_dataset', { query: { q: 'weld' } });
  const spec = { ...SKILLS, lookup: { fields: ['name'] } };
  await answers(200, 'put_dataset', { body: { kind: 'Dataset', id: 'skills', spec } });
  const { headers, body } = await answers(200, 'lookup_any_dataset', { query: { q: 'weldin', filter: 'version > 0' } });
  expect(body.items).toHaveLength(1);
  const known = { 'if-none-match': headers.get('etag') ?? '' };
  await answers(304, 'lookup_any_dataset', { query: { q: 'weldin', filter: 'version > 0' }, headers: known });
  await answers(200, 'lookup_any_dataset', { query: { q: '' } });
  await answers(200, 'lookup_any_dataset', { query: { q: '🍷 \u0000 %' } });
});

test('every item of a batch has a result of the documented form, whatever is wrong with it', async () => {
  const { body } = await answers(200, 'batch_any_dataset', {
    body: [
      { op: 'create', entity: { name: 'Baking' } },
      { op: 'create', entity: { nmae: 'x' } },
      { op: 'patch', id: '9007199254740993', entity: {} },
      { op: 'delete', id: '5', if_match: '*' },
      { op: 'erase' },
      null,
      [],
    ],
  });
  expect(body.items.map(({ status }: { status: number }) => status >= 400)).toEqual([
    ...[false, true, true, true, true, true, true],
  ]);
});

test('a dataset is declared, changed, refused and dropped', async () => {
  const at = { name: 'offices' };
  const spec = (fields: object) => ({ body: { kind: 'Dataset', id: 'offices', spec: { fields } } });
  await answers(201, 'put_dataset', { at, ...spec({ name: { type: 'text' } }), headers: NEW });
  await answers(412, 'put_dataset', { at, ...spec({ name: { type: 'text' } }), headers: NEW });
  await answers(412, 'put_dataset', { at, ...spec({ name: { type: 'text' } }), headers: { 'if-match': '"9.9.9.9"' } });
  const { headers } = await answers(200, 'read_dataset', { at });
  await answers(304, 'read_dataset', { at, headers: { 'if-none-match': headers.get('etag') ?? '' } });
  await answers(200, 'list_datasets');
  await answers(409, 'put_dataset', { at, ...spec({ name: { type: 'integer' } }) });
  await answers(415, 'put_dataset', { at, ...XML });
  await answers(413, 'put_dataset', { at, ...HUGE });
  await answers(404, 'read_dataset', { at: ABSENT });
  await answers(412, 'delete_dataset', { at, query: { confirm: 'offices' }, headers: { 'if-match': '"9.9.9.9"' } });
  await answers(409, 'delete_dataset', { query: { confirm: 'skills' } }); // positions refer to it
  await answers(204, 'delete_dataset', { at, query: { confirm: 'offices' } });
  await answers(404, 'delete_dataset', { at, query: { confirm: 'offices' } });
});

test('the versions of a dataset are listed, compared, pinned and released', async () => {
  const { body } = await answers(200, 'list_versions', { query: { limit: '2' } });
  expect(body.items).toHaveLength(2);
  await answers(200, 'list_versions', { query: { before: String(body.next_before) } });
  const changes = await answers(200, 'list_changes', { query: { after: '0' } });
  const newest = String(changes.body.next_after);
  await answers(200, 'diff_versions', { query: { from: newest, to: newest } });
  await answers(200, 'pin_dataset', { body: { version: Number(newest), reason: 'a bad import' } });
  await answers(200, 'unpin_dataset');
  const { replica } = api.datasets.get('skills').dataset;
  replica.forget({ time: '9999-01-01T00:00:00.000Z', versions: 1 });
  await answers(410, 'diff_versions', { query: { from: '1', to: newest } });
  await answers(410, 'pin_dataset', { body: { version: 1, reason: 'x' } });
  for (const id of ['list_any_dataset', 'read_any_dataset']) await answers(410, id, { query: { as_of: '1' } });
  await answers(410, 'search_any_dataset', { query: { as_of: '1', q: 'version > 0' } });
  await answers(415, 'pin_dataset', XML);
  await answers(413, 'pin_dataset', HUGE);
  await answers(200, 'list_dangling', { at: { name: 'positions' } });
  for (const id of ['list_versions', 'unpin_dataset', 'list_dangling']) await answers(404, id, { at: ABSENT });
  for (const id of ['list_changes', 'stream_changes']) await answers(404, id, { at: ABSENT, query: { after: '0' } });
  await answers(404, 'diff_versions', { at: ABSENT, query: { from: '1', to: '1' } });
  await answers(404, 'pin_dataset', { at: ABSENT, body: { version: 1, reason: 'x' } });
});

test('a key is issued, shown without its secret, rotated and revoked', async () => {
  const { body } = await answers(201, 'issue_key', { body: { name: 'a', scopes: ['data:read:*'] } });
  const at = { id: body.id };
  expect((await answers(200, 'read_key', { at })).body.secret).toBeUndefined();
  await answers(200, 'list_keys');
  const rotated = await answers(200, 'rotate_key', { at, body: { overlap_seconds: 60 } });
  expect(rotated.body.secret).not.toBe(body.secret);
  for (const id of ['issue_key', 'rotate_key']) {
    await answers(415, id, { at, ...XML });
    await answers(413, id, { at, ...HUGE });
  }
  await answers(204, 'revoke_key', { at });
  for (const id of ['read_key', 'revoke_key', 'rotate_key']) await answers(404, id, { at: ABSENT });
});

test('an import is made in one call or in parts, and canceled', async () => {
  const raw = '{"id":"1","name":"a"}\n';
  const ndjson = { 'content-type': 'application/x-ndjson' };
  await answers(202, 'import_any_dataset', { raw, headers: ndjson });
  const { body } = await answers(201, 'import_any_dataset', { query: { format: 'csv' } });
  const at = { id: body.id };
  const part = (offset: number) => ({ at, raw, headers: { 'upload-offset': String(offset) } });
  await answers(200, 'append_import_any_dataset', part(0));
  await answers(409, 'append_import_any_dataset', part(0));
  await answers(200, 'read_import_any_dataset', { at });
  await answers(200, 'imports_any_dataset', { query: { limit: '5' } });
  await answers(202, 'start_import_any_dataset', { at });
  const other = { id: (await answers(201, 'import_any_dataset', { query: { format: 'csv' } })).body.id };
  await answers(204, 'cancel_import_any_dataset', { at: other });
  await answers(409, 'start_import_any_dataset', { at: other });
  await answers(415, 'import_any_dataset', { raw, headers: { 'content-type': 'application/xml' } });
  await answers(404, 'import_any_dataset', { at: ABSENT, raw, headers: ndjson });
  await answers(404, 'append_import_any_dataset', { ...part(0), at: ABSENT });
  for (const id of ['read', 'cancel', 'start']) await answers(404, `${id}_import_any_dataset`, { at: ABSENT });
});

test('the graph answers data and errors in its own form, whichever method asks', async () => {
  const graph = 'application/graphql-response+json';
  const query = '{ datasets { name } }';
  await answers(200, 'graph', { body: { query } });
  await answers(200, 'graph', { body: { query }, headers: { accept: graph } });
  await answers(200, 'graph_by_get', { query: { query } });
  await answers(200, 'graph', { body: { query: '{ nothing }' } });
  await answers(405, 'graph_by_get', { query: { query: 'mutation { x }' } });
  for (const id of ['graph', 'graph_by_get']) {
    const asked = id === 'graph' ? { body: { query } } : { query: { query } };
    await answers(406, id, { ...asked, headers: { accept: 'application/xml' } });
  }
  await answers(415, 'graph', XML);
  await answers(413, 'graph', HUGE);
});

test('the service explains itself', async () => {
  await answers(200, 'read_health');
  await answers(200, 'read_openapi');
  await answers(200, 'explain_problem', { at: { code: 'entity.invalid' } });
  await answers(404, 'explain_problem', { at: { code: 'nothing' } });
});

test('every success of the document was produced', () => {
  const own = ['any_dataset', 'Datasets', 'Graph', 'Keys', 'Service'];
  // A stream does not end: the test of the change stream reads it.
  const missing = contract.unproduced((tags) => tags.some((tag) => own.includes(tag)));
  expect(missing).toEqual(['stream_changes 200']);
});
