import { expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createOutboxEvent } from '../../../notifications/delivery/cloud-event.js';
import { platformType } from '../../../notifications/events/catalogue.js';
import { envelopeSchema } from '../../../notifications/events/envelope.js';
import { feedStalled } from '../../../notifications/events/ops-events.js';
import type { SourceEvent } from '../../../platform/kinds/source-event.js';
import { AT, read } from './writes.js';

const TYPE = platformType('ops.feed_stalled');
if (TYPE === undefined) throw new Error('the type is not declared');
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(envelopeSchema(TYPE));

const STALL = read(feedStalled({ stream: 'positions', position: 9, from: AT, until: AT }));
const write = (event: SourceEvent = STALL, sequence = 3) =>
  createOutboxEvent(event, {
    ...{ subscription: 'sub_a', sequence, payload: 'full' as const, settledThrough: 2 },
    baseUrl: 'https://slipway.example',
  });
const sent = (event?: SourceEvent, sequence?: number) =>
  JSON.parse(write(event, sequence).body) as Record<string, unknown>;

test('an event as it is sent fits the schema of its envelope, with its data or a link to them', () => {
  expect([validate(sent()), validate.errors]).toEqual([true, null]);
  const large = sent({ ...STALL, data: () => JSON.stringify({ stream: 'x'.repeat(70_000) }) });
  expect(large).toMatchObject({ dataref: 'https://slipway.example/v2/health' });
  expect([validate(large), validate.errors]).toEqual([true, null]);
});

test('an event whose schema is not known names none, and fits', () => {
  const { schemaVersion: _, ...unknown } = STALL;
  expect(sent(unknown)).not.toHaveProperty('dataschema');
  expect(validate(sent(unknown))).toBe(true);
});

test('the same event has one id in all subscriptions and a notice id of its own in each', () => {
  const [a, b] = ['sub_a', 'sub_b'].map((subscription) =>
    createOutboxEvent(STALL, { subscription, sequence: 3, payload: 'full', settledThrough: 2, baseUrl: 'https://x' }),
  );
  expect(a?.eventId).toBe(b?.eventId);
  expect(a?.id).not.toBe(b?.id);
  expect(a?.id).toMatch(/^ntc_a_3_[A-Za-z0-9]+$/);
});

test('the same delivery is written to the same bytes', () => {
  expect(write().body).toBe(write({ ...STALL }).body);
});

test.each([
  [1, '0000000000000000001'],
  [Number.MAX_SAFE_INTEGER, '0009007199254740991'],
])('the sequence %i is sorted as text: %s', (sequence, expected) => {
  expect(sent(STALL, sequence).sequence).toBe(expected);
});

test.each(['specversion', 'id', 'source', 'type', 'subject', 'time', 'sequence', 'noticeid', 'settledthrough', 'data'])(
  'an event without %s does not fit',
  (name) => {
    const { [name]: _, ...rest } = sent();
    expect(validate(rest)).toBe(false);
  },
);

test.each([
  ['data and a link to them', { dataref: 'https://x' }],
  ['another type', { type: 'ops.gap' }],
  ['another version of CloudEvents', { specversion: '0.3' }],
  ['a sequence that is no number', { sequence: '-000000000000000001' }],
  ['a short sequence', { sequence: '3' }],
  ['an empty id', { id: '' }],
  ['data of another form', { data: { stream: 7 } }],
  ['data of nothing', { data: null }],
])('an event with %s does not fit', (_, more) => {
  expect(validate({ ...sent(), ...more })).toBe(false);
});
