import { expect, test } from 'vitest';
import { grantOf, type Handshake } from '../../../notifications/delivery/handshake.js';

test.each<[Handshake, ReturnType<typeof grantOf>]>([
  [{}, { ok: true }],
  [{ origin: '*' }, { ok: true }],
  [{ origin: '*', rate: '*' }, { ok: true }],
  [
    { origin: 'Slipway.Example', rate: '120' },
    { ok: true, perMinute: 120 },
  ],
  [{ origin: 'other.example', rate: '120' }, { ok: false }],
  [{ rate: '120' }, { ok: false }],
  [{ origin: '*', rate: '0' }, { ok: false }],
  [{ origin: '*', rate: '1.5' }, { ok: false }],
  [{ origin: '*', rate: '' }, { ok: false }],
])('%j grants %j', (said, grant) => {
  expect(grantOf(said, 'slipway.example')).toEqual(grant);
});
