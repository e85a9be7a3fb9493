import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createReferenceDocument } from '../../../openapi/reference/document.js';
import { PLATFORM_TYPES } from '../../../notifications/events/catalogue.js';
import { datasetTypes } from '../../../notifications/events/dataset-events.js';
import { RecoverySpec } from '../../../notifications/kinds/recovery.js';
import { SUBSCRIPTION_STATES, SubscriptionSpec } from '../../../notifications/kinds/subscription.js';
import { WatchSpec } from '../../../notifications/kinds/watch.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { asRead } from '../operations.js';

const spec = DatasetSpec.parse({ fields: { name: { type: 'text', required: true }, size: { type: 'integer' } } });
const document = asRead(createReferenceDocument('1', [{ name: 'places', spec, generation: 2 }]));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');
const schemaOf = (name: string) => ajv.compile({ $ref: `openapi#/components/schemas/${name}` });

const SUBSCRIPTION = { name: 'a', url: 'https://hr.example/', types: ['dataset.places.*'] };
const WATCH = { name: 'a', scope: { dataset: 'places' }, period: 'PT1H' };
const REQUESTS: [string, z.ZodType, object][] = [
  ['SubscriptionRequest', SubscriptionSpec, SUBSCRIPTION],
  ['WatchRequest', WatchSpec, WATCH],
  ['RecoveryRequest', RecoverySpec, {}],
];

test.each(REQUESTS)('a %s needs what its parser needs', (name, parser, given) => {
  const request = schemaOf(name);
  const result = parser.safeParse(given);
  expect([name, result.error?.issues ?? [], request(given), request.errors]).toEqual([name, [], true, null]);
  const { required = [] } = document.components?.schemas?.[name] as { required?: string[] };
  for (const member of required) {
    const others = { ...given, [member]: undefined };
    expect([member, request(others), parser.safeParse(others).success]).toEqual([member, false, false]);
  }
});

// prettier-ignore
test.each<[string, z.ZodType, object]>([
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, mode: 'both' }],
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, types: [] }],
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, types: Array.from({ length: 51 }, (_, at) => `t${at}`) }],
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, name: '' }],
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, name: 'x'.repeat(201) }],
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, url: 5 }],
  ['SubscriptionRequest', SubscriptionSpec, { ...SUBSCRIPTION, filter: '' }],
  ['WatchRequest',        WatchSpec,        { ...WATCH, period: 5 }],
  ['WatchRequest',        WatchSpec,        { ...WATCH, name: '' }],
  ['RecoveryRequest',     RecoverySpec,     { per_second: 0 }],
  ['RecoveryRequest',     RecoverySpec,     { per_second: 1_001 }],
  ['RecoveryRequest',     RecoverySpec,     { sequences: [] }],
  ['RecoveryRequest',     RecoverySpec,     { sequences: ['0'] }],
  ['RecoveryRequest',     RecoverySpec,     { dry_run: 'yes' }],
])('a %s with a wrong value is refused by the document and by the parser: case %#', (name, parser, given) => {
  expect([schemaOf(name)(given), parser.safeParse(given).success]).toEqual([false, false]);
});

test.each(REQUESTS)('what is stored of a %s is part of the reply', (name, parser, given) => {
  const reply = document.components?.schemas?.[name.replace('Request', '')] as {
    properties: Record<string, object>;
    required: string[];
  };
  const stored = JSON.parse(JSON.stringify(parser.parse(given))) as Record<string, unknown>;
  for (const [member, value] of Object.entries(stored)) {
    const validate = ajv.compile(reply.properties[member] ?? false);
    expect([member, validate(value), validate.errors]).toEqual([member, true, null]);
    expect(reply.required).toContain(member);
  }
});

test('a subscription has the states of the service, but is shown no more once it is removed', () => {
  const { properties } = document.components?.schemas?.Subscription as { properties: { state: { enum: string[] } } };
  expect(properties.state.enum).toEqual(SUBSCRIPTION_STATES.filter((state) => state !== 'removed'));
});

const TYPES = [...PLATFORM_TYPES, ...datasetTypes('places', { fields: spec.fields, generation: 2 })];
const ENVELOPE = {
  specversion: '1.0',
  id: 'e',
  time: '2026-01-01T00:00:00.000Z',
  datacontenttype: 'application/json',
  sequence: '0000000000000000001',
  subscriptionid: 'sub_1',
  noticeid: 'n',
  settledthrough: '0',
};

test('each event type has a request of its own in the document', () => {
  expect(Object.keys(document.webhooks ?? {}).sort()).toEqual(TYPES.map(({ type }) => type).sort());
});

test.each(TYPES.map((each) => ({ type: each.type, each })))(
  'the example of $type is an event of the document',
  ({ type, each }) => {
    const webhook = document.webhooks?.[type] as {
      post: { requestBody: { content: Record<string, { schema: object }> } };
    };
    const validate = ajv.compile(webhook.post.requestBody.content['application/cloudevents+json']?.schema ?? false);
    const event = { ...ENVELOPE, type, ...each.example };
    expect([type, validate(JSON.parse(JSON.stringify(event))), validate.errors]).toEqual([type, true, null]);
    // Content or a place to read it, not both; and of this type alone.
    const { data: _, ...empty } = event;
    expect(validate(empty)).toBe(false);
    expect(validate({ ...empty, dataref: 'https://slipway.test/1' })).toBe(true);
    expect(validate({ ...event, dataref: 'https://slipway.test/1' })).toBe(false);
    expect(validate({ ...event, type: `${type}.other` })).toBe(false);
    expect(validate({ ...event, sequence: '1' })).toBe(false);
  },
);
