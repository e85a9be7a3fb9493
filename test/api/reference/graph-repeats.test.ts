import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, startTestGraph } from './graph-data.js';
import type { TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestGraph();
});
afterAll(() => api.stop());

async function data(query: string, variables?: object) {
  const { status, body, text } = await ask(api)(query, { variables });
  if (status !== 200) throw new Error(text);
  return body.data;
}

test('the same question is answered anew as soon as something changed, however far away', async () => {
  const place = (id: string) => `/v2/locations/${id}`;
  const put = (id: string, entity: object, headers = {}) => api.call('PUT', place(id), { body: entity, headers });
  await put('901', { name: 'Harbor' });
  await put('902', { name: 'Quay', parent: { id: '901' } });
  await put('903', { name: 'Berth', parent: { id: '902' } });
  const question = '{ locations_by_ids(ids: ["903", "902"]) { name parent { name parent { name } } } }';
  const answer = async () => (await data(question)).locations_by_ids;
  const berth = (quay: object | null) => ({ name: 'Berth', parent: quay });
  const quay = (harbor: object | null) => ({ name: 'Quay', parent: harbor });
  const [first, again] = [await answer(), await answer()];
  expect(first[0]).toEqual(berth(quay({ name: 'Harbor' })));
  expect(again).toEqual(first);
  await put('901', { name: 'Old harbor' }, { 'if-match': '*' });
  expect((await answer())[0]).toEqual(berth(quay({ name: 'Old harbor' })));
  await put('902', { name: 'Quay' }, { 'if-match': '*' });
  expect(await answer()).toEqual([berth(quay(null)), quay(null)]);
  for (const id of ['903', '902', '901']) await api.call('DELETE', place(id), { headers: { 'if-match': '*' } });
  expect(await answer()).toEqual([null, null]);
});

test('variables that say which fields there are say so in each request', async () => {
  const question = `query ($id: Long!, $more: Boolean!) { location(id: $id) { id name @include(if: $more) } }`;
  for (const more of [true, false, true]) {
    const { location } = await data(question, { id: '8', more });
    expect(location).toEqual({ id: '8', ...(more && { name: 'Place "8"' }) });
  }
});
