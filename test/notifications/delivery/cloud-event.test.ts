import { expect, test } from 'vitest';
import type { SourceEvent } from '../../../platform/kinds/source-event.js';
import { createOutboxEvent } from '../../../notifications/delivery/cloud-event.js';

const event = (data: string): SourceEvent => ({
  ...{ id: 'evt_1', type: 'dataset.positions.updated', stream: 'positions', position: 7, index: 0 },
  ...{
    source: '/v2/datasets/positions',
    ref: '/v2/positions/42/history',
    subject: '42',
    at: '2026-01-01T00:00:00.000Z',
    data: () => data,
  },
});
const context = {
  ...{ subscription: 'sub_a', sequence: 3, payload: 'full' as const, settledThrough: 2 },
  baseUrl: 'https://slipway.example',
};

test('the digits of the data stay as they are', () => {
  expect(createOutboxEvent(event('{"id":9007199254740993}'), context).body).toMatch(
    /"data":\{"id":9007199254740993\}\}$/,
  );
});

test('data of more than 64 KiB are left where they can be read', () => {
  const { body, id } = createOutboxEvent(event(JSON.stringify('x'.repeat(65_536))), context);
  const notice = JSON.parse(body);
  expect(notice).toMatchObject({ dataref: 'https://slipway.example/v2/positions/42/history', noticeid: id });
  expect(notice).not.toHaveProperty('data');
});
