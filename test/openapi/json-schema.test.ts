import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { replySchema, requestSchema } from '../../openapi/json-schema.js';

const Settings = z.strictObject({
  name: z.string().min(1).max(5),
  mode: z.enum(['push', 'pull']).default('push'),
  note: z.string().default(''),
  limits: z.strictObject({ most: z.int().min(1).max(9).default(3), least: z.int().default(0) }).prefault({}),
  labels: z.array(z.strictObject({ key: z.string(), required: z.boolean().default(false) })).default([]),
  owner: z.string().nullable().default(null),
  extra: z.record(z.string(), z.strictObject({ additionalProperties: z.boolean() })).optional(),
});

const ajv = new Ajv2020({ strict: false });
const request = ajv.compile(requestSchema(Settings, ['name']));
const reply = ajv.compile(replySchema(Settings));
const whole = Settings.parse({ name: 'a', labels: [{ key: 'k' }], extra: { a: { additionalProperties: true } } });

test('what a parser returns is a reply', () => {
  expect(reply(whole)).toBe(true);
  expect(reply(Settings.parse({ name: 'b' }))).toBe(true);
});

test('a reply has every member with a default, at every depth, and no other', () => {
  for (const name of ['name', 'mode', 'note', 'limits', 'labels', 'owner']) {
    const { [name]: _, ...others } = whole as Record<string, unknown>;
    expect([name, reply(others)]).toEqual([name, false]);
  }
  expect(reply({ ...whole, extra: undefined })).toBe(true);
  expect(reply({ ...whole, limits: { most: 3 } })).toBe(false);
  expect(reply({ ...whole, labels: [{ key: 'k' }] })).toBe(false);
  expect(reply({ ...whole, surprise: 1 })).toBe(false);
  expect(reply({ ...whole, limits: { ...whole.limits, surprise: 1 } })).toBe(false);
});

test.each([
  [{ name: 'a' }],
  [{ name: 'a', limits: {} }],
  [{ name: 'a', limits: { most: 9 } }],
  [{ name: 'a', labels: [{ key: 'k' }], owner: null }],
  [{ name: 'a', labels: [{ key: 'k', required: true }] }],
  [whole],
])('a request may leave out what has a default: %j', (given) => {
  expect(request(given)).toBe(true);
  expect(Settings.safeParse(given).success).toBe(true);
});

test.each([
  [{}],
  [{ name: '' }],
  [{ name: 'abcdef' }],
  [{ name: 'a', mode: 'both' }],
  [{ name: 'a', limits: { most: 10 } }],
  [{ name: 'a', limits: { most: 1.5 } }],
  [{ name: 'a', labels: [{ key: 1 }] }],
  [{ name: 'a', owner: 5 }],
])('a request of wrong values is refused as by the parser: %j', (given) => {
  expect(request(given)).toBe(false);
  expect(Settings.safeParse(given).success).toBe(false);
});

test('a request has no unknown member at any depth', () => {
  expect(request({ name: 'a' })).toBe(true);
  expect(
    request({ name: 'a', limits: {}, labels: [{ key: 'k' }], extra: { any: { additionalProperties: true } } }),
  ).toBe(true);
  expect(request({})).toBe(false);
  for (const given of [{ surprise: 1 }, { limits: { surprise: 1 } }, { labels: [{ key: 'k', surprise: 1 }] }]) {
    expect([given, request({ name: 'a', ...given })]).toEqual([given, false]);
    expect(Settings.safeParse({ name: 'a', ...given }).success).toBe(false);
  }
});

test('members that are called like keywords are members', () => {
  const { properties = {} } = requestSchema(Settings, ['name']);
  expect(properties.labels).toMatchObject({ items: { properties: { required: { type: 'boolean', default: false } } } });
  expect(properties.extra).toMatchObject({
    additionalProperties: { properties: { additionalProperties: { type: 'boolean' } } },
  });
});

test('an empty default is not shown, others are', () => {
  const { properties = {} } = requestSchema(Settings, ['name']);
  expect(properties.note).toEqual({ type: 'string' });
  expect(properties.mode).toMatchObject({ default: 'push', enum: ['push', 'pull'] });
  expect(properties.owner).toHaveProperty('default', null);
});

test('without required members a request has none', () => {
  expect(requestSchema(Settings, [])).not.toHaveProperty('required');
  expect(requestSchema(Settings, ['name', 'mode']).required).toEqual(['name', 'mode']);
  expect(ajv.compile(requestSchema(Settings, []))({})).toBe(true);
});
