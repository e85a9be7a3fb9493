import { expect, test } from 'vitest';
import type { ExaminedDelivery } from '../../../api/notifications/delivery-examination.js';
import { collectDeliveryPage, openDeliveryToken, sealDeliveryToken } from '../../../api/notifications/delivery-page.js';
import type { DeliveryDetail } from '../../../api/notifications/delivery-view.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { secretPlaces } from '../../../platform/kinds/secret-places.js';

const detail = {} as DeliveryDetail; // only its presence matters

/** Deliveries from `from` down to 1; `ended` becomes true when the reader has ended the examination. */
function examine(from: number, more: (sequence: number) => Partial<ExaminedDelivery>) {
  const state = { examined: 0, ended: false };
  async function* run(): AsyncGenerator<ExaminedDelivery> {
    try {
      for (let sequence = from; sequence > 0; sequence -= 1) {
        state.examined += 1;
        yield { sequence, isRead: false, detail: undefined, ...more(sequence) };
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, deliveries: run() };
}

test('a page holds the deliveries that match and ends with the one that fills it', async () => {
  const { state, deliveries } = examine(10, (sequence) => ({ detail: sequence % 2 === 0 ? detail : undefined }));
  expect(await collectDeliveryPage(deliveries, 3)).toEqual({ details: [detail, detail, detail], last: 6 });
  expect(state).toEqual({ examined: 5, ended: true });
});

test('the page after which nothing follows names no last delivery', async () => {
  const { deliveries } = examine(2, () => ({ detail }));
  expect(await collectDeliveryPage(deliveries, 3)).toEqual({ details: [detail, detail], last: undefined });
});

test.each([
  ['2000 deliveries', false, 2_000],
  ['300 reads of the ledger', true, 300],
])('a page without a match ends after %s', async (_limit, isRead, examined) => {
  const { state, deliveries } = examine(5_000, () => ({ isRead }));
  expect(await collectDeliveryPage(deliveries, 20)).toEqual({ details: [], last: 5_001 - examined });
  expect(state.examined).toBe(examined);
});

test('a page token is valid for its own subscription and filter alone', () => {
  const box = createSecretBox({ key: Buffer.alloc(32, 1).toString('base64') });
  const cursor = { subscription: 'sub_1', query: 'q1' };
  const token = sealDeliveryToken(box, cursor, 42);
  expect(openDeliveryToken(box, cursor, token)).toBe(42);
  for (const other of [
    { ...cursor, subscription: 'sub_2' },
    { ...cursor, query: 'q2' },
  ]) {
    expect(() => openDeliveryToken(box, other, token)).toThrow(
      expect.objectContaining({ code: 'page.token_mismatch' }),
    );
  }
  const PLACE = secretPlaces.token('deliveries');
  for (const bad of [
    '',
    'x',
    box.seal('{}', PLACE),
    box.seal('["items","sub_1","q1",42]', PLACE),
    box.seal('["deliveries","sub_1","q1",42]', 'token/feed'),
  ]) {
    expect(() => openDeliveryToken(box, cursor, bad)).toThrow(
      expect.objectContaining({ code: 'page.token_malformed' }),
    );
  }
});
