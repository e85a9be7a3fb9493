import { expect, test } from 'vitest';
import { createLookupIndex, lookupIndexFromBytes } from '../../../reference/lookup/lookup-index.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { WORLD_FIELDS, worldOf, worldSource } from './world.js';

const rows = worldOf([
  { name: 'São Paulo', country: 'Brazil', weight: 3 },
  { name: 'Straße', other: '東京', weight: -1.5 },
  { name: '', country: 'Brazil' },
]);
const options = { fields: WORLD_FIELDS, source: worldSource(rows) };
const bytes = Buffer.concat([...createLookupIndex({ ...options, rows: rows.keys() }).encode()]);

test('an index from bytes goes on as the one that wrote them', () => {
  const index = lookupIndexFromBytes(bytes, options);
  expect(index.query('sao p').hits).toMatchObject([{ row: 0, bucket: 'name_prefix' }]);
  rows.set(7, { id: 9n, name: 'São Tomé', weight: 1 });
  index.upsert(7);
  index.remove(0);
  expect(index.query('sao').hits).toMatchObject([{ row: 7 }]);
  expect(index.query('brazil').hits).toMatchObject([{ row: 2, bucket: 'alias' }]);
});

test('the same rows give the same bytes', () => {
  const first = worldOf([{ name: 'Ålesund', weight: 1 }, { name: 'Aalesund' }]);
  const write = () =>
    Buffer.concat([
      ...createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(first), rows: first.keys() }).encode(),
    ]);
  expect(write().equals(write())).toBe(true);
});

test('bytes may stand anywhere in a larger buffer', () => {
  for (let offset = 0; offset < 9; offset += 1) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
    expect(lookupIndexFromBytes(shifted, options).query('strasse').hits).toMatchObject([{ row: 1, bucket: 'exact' }]);
  }
});

const refused = (given: Uint8Array, fields = WORLD_FIELDS) => {
  expect(() => lookupIndexFromBytes(given, { ...options, fields })).toThrow(SlipwayError);
};

test('damaged bytes are refused, wherever the damage is', () => {
  for (let at = 0; at < bytes.length; at += 1) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x40, at);
    refused(damaged);
  }
  for (let length = 0; length < bytes.length; length += 7) refused(bytes.subarray(0, length));
});

test('bytes for other fields are refused', () => {
  refused(bytes, { names: ['name'], aliases: ['country', 'code'] });
  refused(bytes, { names: ['name', 'other'], aliases: [] });
});
