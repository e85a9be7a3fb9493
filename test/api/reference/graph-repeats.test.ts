import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

test('a repeated query gets a new answer as soon as any row that it read has changed', async () => {
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

test('what was written is not read again because of a row that it does not show', async () => {
  const put = (path: string, entity: object) =>
    api.call('PUT', `/v2/${path}`, { body: entity, headers: { 'if-match': '*' } });
  await api.call('PUT', '/v2/skills/501', { body: { name: 'Welding' } });
  await api.call('PUT', '/v2/skills/502', { body: { name: 'Rigging' } });
  const entity = { title: 'Welder', staffing_status: 'Open', head_count: 5_001, skills: [{ id: '501' }] };
  await api.call('PUT', '/v2/positions/501', { body: entity });
  const question = '{ positions(filter: "head_count == 5001") { nodes { title skills { name } } } }';
  const answer = async () => (await data(question)).positions.nodes;
  const welder = (name: string | undefined) => ({ title: 'Welder', skills: name === undefined ? [null] : [{ name }] });
  expect(await answer()).toEqual([welder('Welding')]);

  const lookups = vi.spyOn(api.datasets.get('skills').dataset.replica.rows, 'findAt');
  const lookedUp = async (): Promise<{ nodes: object[]; calls: number }> => {
    lookups.mockClear();
    const nodes = await answer();
    return { nodes, calls: lookups.mock.calls.length };
  };
  await put('skills/502', { name: 'Rigging aloft' });
  expect(await lookedUp()).toEqual({ nodes: [welder('Welding')], calls: 0 });
  await put('skills/501', { name: 'Welding under water' });
  expect(await lookedUp()).toEqual({ nodes: [welder('Welding under water')], calls: 1 });
  await api.call('DELETE', '/v2/skills/501', { headers: { 'if-match': '*' } });
  expect(await lookedUp()).toEqual({ nodes: [welder(undefined)], calls: 1 });
  await api.call('PUT', '/v2/skills/501', { body: { name: 'Welding again' } });
  expect((await lookedUp()).nodes).toEqual([welder('Welding again')]);
  lookups.mockRestore();
  for (const path of ['positions/501', 'skills/501', 'skills/502']) {
    await api.call('DELETE', `/v2/${path}`, { headers: { 'if-match': '*' } });
  }
});

test('variables that say which fields there are say so in each request', async () => {
  const question = `query ($id: Long!, $more: Boolean!) { location(id: $id) { id name @include(if: $more) } }`;
  for (const more of [true, false, true]) {
    const { location } = await data(question, { id: '8', more });
    expect(location).toEqual({ id: '8', ...(more && { name: 'Place "8"' }) });
  }
});
