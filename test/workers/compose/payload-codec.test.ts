import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { createKeyRing } from '../../../platform/stores/key-ring.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { createPayloadCodec, dataConverterOf } from '../../../workers/compose/payload-codec.js';

const newKey = () => randomBytes(32).toString('base64');
const codecOf = (key: string, oldKeys: string[] = [], encrypts = true) =>
  createPayloadCodec(createKeyRing({ key, oldKeys }), { encrypts });
const VALUES = ['marigold', { a: [1, 'ü', null] }, new Uint8Array([0, 255]), undefined, ''];
const payloads = VALUES.map((value) => defaultPayloadConverter.toPayload(value));
const valuesOf = (given: readonly Payload[]) => given.map((each) => defaultPayloadConverter.fromPayload(each));

test('every payload comes back, and shows neither its text nor its encoding', async () => {
  const codec = codecOf(newKey());
  const encoded = await codec.encode(payloads);
  expect(valuesOf(await codec.decode(encoded))).toEqual(VALUES);
  for (const { metadata, data } of encoded) {
    expect(Object.keys(metadata ?? {}).sort()).toEqual(['encoding', 'encryption-key-id']);
    expect(Buffer.from(metadata?.encoding ?? []).toString()).toBe('binary/encrypted');
    expect(Buffer.from(data ?? []).toString('latin1')).not.toMatch(/marigold|json/);
  }
  expect(await codec.encode([])).toEqual([]);
});

test('empty data that comes from a workflow, where it is an array, is encrypted too', async () => {
  const codec = codecOf(newKey());
  const payload = { metadata: { encoding: Buffer.from('binary/null') }, data: [] as unknown as Uint8Array };
  expect(valuesOf(await codec.decode(await codec.encode([payload])))).toEqual([undefined]);
});

test('plain payloads are read as they are, also while new ones are encrypted', async () => {
  expect(valuesOf(await codecOf(newKey()).decode(payloads))).toEqual(VALUES);
});

test('switched off, encrypted payloads are still read, and nothing is encrypted', async () => {
  const key = newKey();
  const encoded = await codecOf(key).encode(payloads);
  const off = codecOf(key, [], false);
  expect(valuesOf(await off.decode(encoded))).toEqual(VALUES);
  expect(await off.encode(payloads)).toEqual(payloads);
});

test('an earlier key is needed as long as its payloads are there', async () => {
  const [old, present] = [newKey(), newKey()];
  const encoded = await codecOf(old).encode(payloads);
  expect(valuesOf(await codecOf(present, [old]).decode(encoded))).toEqual(VALUES);
  await expect(codecOf(present).decode(encoded)).rejects.toThrow(
    /a payload in Temporal has key [0-9a-f]{8}, which is not configured: add it to SLIPWAY_OLD_SECRET_KEYS/,
  );
});

test('a payload that was changed is refused, and a sealed secret is none', async () => {
  const key = newKey();
  const [payload] = await codecOf(key).encode(payloads);
  const data = Buffer.from(payload?.data ?? []);
  data.writeUInt8(data.readUInt8(20) ^ 1, 20);
  await expect(codecOf(key).decode([{ ...payload, data }])).rejects.toThrow('was changed or cut');
  const sealed = Buffer.from(createSecretBox({ key }).seal('x', 'a').split('.')[2] ?? '', 'base64url');
  await expect(codecOf(key).decode([{ ...payload, data: sealed }])).rejects.toThrow('was changed or cut');
});

test('encryption without a key stops the start; a process without both reads plain payloads', () => {
  expect(() => dataConverterOf(parseSettings({ TEMPORAL_ENCRYPT_PAYLOADS: 'true' }))).toThrow(
    'SLIPWAY_SECRET_KEY is not set',
  );
  expect(dataConverterOf(parseSettings({}))).toBeUndefined();
  expect(dataConverterOf(parseSettings({ SLIPWAY_SECRET_KEY: newKey() }))?.failureConverterPath).toBeUndefined();
});
