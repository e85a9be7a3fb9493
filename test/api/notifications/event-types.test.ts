import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, SKILLS, startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference({ changes: { baseUrl: 'https://slipway.example' } });
  await declareAll(api);
});
afterAll(() => api.stop());

interface Item {
  type: string;
  version: number;
  dataschema: string;
  example: { dataschema: string; data: object };
}

test('the catalogue has the types of the datasets that the caller may read, and those of the platform', async () => {
  const { status, body } = await api.call('GET', '/v2/event-types', { as: ['data:read:skills'] });
  expect(status).toBe(200);
  const types = body.items.map(({ type }: Item) => type);
  expect(types).toEqual(expect.arrayContaining(['dataset.skills.updated', 'pipeline.training.succeeded']));
  expect(types.join()).not.toContain('positions');
  expect((await api.call('GET', '/v2/event-types', { as: null })).status).toBe(401);
});

test('the address in dataschema leads to the type, and to its bare schema for who asks for that', async () => {
  const { body } = await api.call('GET', '/v2/event-types');
  const updated = body.items.find(({ type }: Item) => type === 'dataset.skills.updated');
  expect(updated.example.dataschema).toBe(updated.dataschema);
  const path = new URL(updated.dataschema).pathname;
  expect((await api.call('GET', path)).body).toEqual(updated);
  const bare = await api.call('GET', path, { headers: { accept: 'application/schema+json' } });
  expect(bare.headers.get('content-type')).toMatch(/^application\/schema\+json/);
  expect(JSON.parse(bare.text)).toEqual({ $id: updated.dataschema, ...updated.schema });
  const hidden = await api.call('GET', path, { as: ['data:read:positions'] });
  expect([hidden.status, hidden.body.code]).toEqual([403, 'auth.scope']);
});

test('a changed declaration makes a new version, and the old one can still be read', async () => {
  await declareAll(api, { plants: SKILLS });
  const read = (version: string | number) => api.call('GET', `/v2/event-types/dataset.plants.created/${version}`);
  const first = (await read(1)).body;
  for (const extra of ['zone', 'lot']) {
    const fields = { ...SKILLS.fields, [extra]: { type: 'text' } };
    const spec = { fields: extra === 'lot' ? { ...fields, zone: { type: 'text' } } : fields };
    const { status } = await api.call('PUT', '/v2/datasets/plants', { body: { spec }, headers: { 'if-match': '*' } });
    expect(status).toBe(200);
  }
  expect((await read(1)).body).toEqual(first);
  expect((await read(2)).body.example.data.entity).toMatchObject({ zone: 'text' });
  expect((await read(3)).body.example.data.entity).toMatchObject({ zone: 'text', lot: 'text' });
  for (const version of [0, 4, '01', 'x']) expect((await read(version)).body.code).toBe('event_type.not_found');
  const unknown = await api.call('GET', '/v2/event-types/pipeline.training.eaten/1');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'event_type.not_found']);
});

test('the OpenAPI document has a webhook for each type', async () => {
  const { body } = await api.call('GET', '/v2/openapi.json', { as: ['data:read:skills'] });
  const { post } = body.webhooks['dataset.skills.deleted'];
  expect(post.requestBody.content['application/cloudevents+json'].schema.properties.type.const).toBe(
    'dataset.skills.deleted',
  );
  expect(Object.keys(body.webhooks)).toContain('pipeline.deployment.ready');
  expect(Object.keys(body.webhooks).join()).not.toContain('positions');
});
