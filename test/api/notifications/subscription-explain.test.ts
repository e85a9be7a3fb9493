import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { declareAll, startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

const ID = '9007199254740993';
const subscribe = async (more: object = {}): Promise<string> => {
  const types = ['dataset.positions.updated', 'pipeline.training.succeeded'];
  const given = { name: 'a', url: 'https://hr.example/', types, ...more };
  return (await api.call('POST', '/v2/subscriptions', { body: given })).body.id;
};
const explain = (id: string, body: object, call: object = {}) =>
  api.call('POST', `/v2/subscriptions/${id}/explain`, { body, ...call });

test('a change of an entity matches or not, and each reason is listed', async () => {
  const id = await subscribe({ filter: 'staffing_status == Filled and (changed(title) or old.day_rate > 9)' });
  const path = `/v2/positions/${ID}`;
  await api.call('PUT', path, { body: { title: 'A', staffing_status: 'Open' } });
  await api.call('PATCH', path, { body: { staffing_status: 'Filled' }, headers: { 'if-match': '*' } });
  const newest = await explain(id, { dataset: 'positions', entity_id: ID });
  expect(newest.status).toBe(200);
  expect(newest.body.items).toMatchObject([
    {
      type: 'dataset.positions.updated',
      subject: ID,
      matches: false,
      reasons: [
        { holds: true, reason: 'dataset.positions.updated is asked for' },
        {
          holds: false,
          reason: 'the filter does not take it',
          verdict: {
            of: 'all of',
            terms: [
              { holds: true, condition: 'staffing_status is "Filled"', value: 'Filled' },
              {
                holds: false,
                of: 'any of',
                terms: [
                  { holds: false, value: false },
                  { holds: false, value: null },
                ],
              },
            ],
          },
        },
      ],
    },
  ]);
  const created = await explain(id, { dataset: 'positions', entity_id: ID, version: 1 });
  expect(created.body.items).toMatchObject([
    { matches: false, reasons: [{ holds: false, reason: 'dataset.positions.created is not among its types' }] },
  ]);
  await api.call('PATCH', path, { body: { title: 'B' }, headers: { 'if-match': '*' } });
  expect((await explain(id, { dataset: 'positions', entity_id: ID })).body.items).toMatchObject([{ matches: true }]);
});

test('an entry of a stream is explained too: also that it was there before the subscription', async () => {
  const stream = createEventStream({ database: api.database, stream: 'pipeline' });
  const event = { type: 'pipeline.training.succeeded', source: '/s', version: 1, at: '2026-01-01T00:00:00.000Z' };
  const data = JSON.stringify({ kind: 'ModelTraining', id: 'wine', version: 1, generation: 1, model_name: 'wine' });
  await stream.publish({ ...event, key: 'a', subject: 'training/a', data });
  const id = await subscribe({ filter: 'changed(title)' });
  const early = await explain(id, { stream: 'pipeline', position: 1 });
  expect(early.body.items).toMatchObject([
    {
      matches: false,
      reasons: [
        { holds: true },
        { holds: false, reason: expect.stringContaining('after position 1') },
        { holds: true },
      ],
    },
  ]);
  await stream.publish({ ...event, key: 'b', subject: 'training/b', data });
  expect((await explain(id, { stream: 'pipeline', position: 2 })).body.items).toMatchObject([
    {
      subject: 'training/b',
      matches: true,
      reasons: [{}, {}, { reason: expect.stringMatching(/^the filter does not apply/) }],
    },
  ]);
  const [first] = (await explain(id, { stream: 'positions', position: 1 })).body.items;
  expect(first).toMatchObject({ type: 'dataset.positions.schema_changed', matches: false });
});

test('what is not there, may not be read, or is no question is refused', async () => {
  const id = await subscribe();
  const entity = { dataset: 'positions', entity_id: '7' };
  expect((await explain(id, entity)).body.code).toBe('entity.not_found');
  expect((await explain(id, { ...entity, entity_id: '07' })).body.code).toBe('id.malformed');
  expect((await explain(id, { stream: 'pipeline', position: 99 })).body.code).toBe('entity.not_found');
  expect((await explain(id, { position: 1 })).body.code).toBe('entity.invalid');
  const as = ['subscriptions:read', 'data:read:skills'];
  expect((await explain(id, entity, { as })).body).toMatchObject({ code: 'subscription.not_found' });
  const reader = { as: ['subscriptions:read', 'data:read:positions', 'pipelines:read'] };
  expect((await explain(id, { ...entity, dataset: 'skills' }, reader)).body).toMatchObject({
    scope: 'data:read:skills',
  });
  expect((await explain(id, { stream: 'watch', position: 1 }, reader)).body).toMatchObject({ scope: 'watches:read' });
});
