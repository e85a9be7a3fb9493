import { expect, test } from 'vitest';
import type { InFlightDelivery } from '../../../activities/notifications/in-flight-delivery.js';
import {
  attemptsUpTo,
  type CheckingDelivery,
  readReceiptAnswer,
  receiptRequest,
} from '../../../activities/notifications/receipt-check.js';
import type { Attempt, AttemptEnd } from '../../../notifications/kinds/attempt.js';
import { createHmacSecret, parseSigningKey, parseVerifyingKey } from '../../../notifications/delivery/signing-keys.js';
import { verifyWebhook } from '../../../notifications/delivery/verify.js';

const AT = new Date('2026-01-02T00:00:05.900Z');
const SECRET = createHmacSecret();
const KEY = parseSigningKey(SECRET);
const attempt = (number: number, startedAt: string): Attempt => ({
  ...{ number, episode: 0, owner: 'o', startedAt, deadline: startedAt, receipts: [] },
});
const ATTEMPTS = [1, 2, 3].map((number) => attempt(number, `2026-01-02T00:00:0${number}.500Z`));
const inFlight = { event: { id: 'ntc_1_42_x' }, record: { attempts: ATTEMPTS } } as unknown as InFlightDelivery;
const step = (next: CheckingDelivery['next'], number = 2): CheckingDelivery => ({
  ...{ state: 'checking', next, dueAt: '', attempt: number },
});
const request = (next: CheckingDelivery['next'], url = 'https://hook.example/receipts') =>
  receiptRequest(
    { url: new URL(url), headers: { authorization: 'Bearer x', 'user-agent': 'mine' }, keys: [KEY] },
    inFlight,
    step(next),
    { at: AT, deadline: new Date(AT.getTime() + 1_000), userAgent: 'Slipway/1' },
  );

test('a receipt is asked for with a GET without a body, below the receipt address', () => {
  const asked = request('receipt');
  expect(asked).toMatchObject({ method: 'GET', body: '', fresh: true });
  expect(asked.url.href).toBe('https://hook.example/receipts/ntc_1_42_x');
  expect(asked.headers).toMatchObject({
    ...{ authorization: 'Bearer x', 'user-agent': 'Slipway/1' },
    ...{ 'webhook-id': 'ntc_1_42_x', 'webhook-timestamp': String(Math.floor(AT.getTime() / 1_000)) },
  });
  expect(asked.headers).not.toHaveProperty('content-type');
  const now = () => AT.getTime();
  expect(verifyWebhook({ headers: asked.headers, body: '', keys: [parseVerifyingKey(SECRET)], now })).toMatchObject({
    ok: true,
  });
});

test('a tombstone names the newest attempt that has to be refused', () => {
  const asked = request('tombstone');
  expect(asked).toMatchObject({ method: 'PUT', headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(asked.body)).toEqual({ refuse_until: Date.parse('2026-01-02T00:00:02.000Z') / 1_000 });
});

test.each([
  ['https://hook.example', 'https://hook.example/ntc_1_42_x'],
  ['https://hook.example/r/', 'https://hook.example/r/ntc_1_42_x'],
])('the id is one more part of the path of %s', (url, expected) => {
  expect(request('receipt', url).url.href).toBe(expected);
});

test('later attempts are not part of a check', () => {
  expect([1, 2, 3].map((number) => attemptsUpTo(inFlight.record, step('receipt', number)).length)).toEqual([1, 2, 3]);
  expect(attemptsUpTo(inFlight.record, step('receipt', 9))).toEqual([]);
});

const reply = (status: number | undefined, answer?: string): AttemptEnd => ({
  ...{ outcome: 'confirmed', at: '', ...(status && { status }), ...(answer !== undefined && { answer }) },
});
test.each([
  ['receipt', reply(200), 'received'],
  ['receipt', reply(404), 'absent'],
  ['receipt', reply(204), 'unclear'],
  ['receipt', reply(410), 'unclear'],
  ['receipt', reply(500), 'unclear'],
  ['receipt', reply(undefined), 'unclear'],
  ['tombstone', reply(200, '{"state":"received"}'), 'received'],
  ['tombstone', reply(200, '{"state":"refused","more":1}'), 'refused'],
  ['tombstone', reply(200, '{"state":"absent"}'), 'unclear'],
  ['tombstone', reply(200, '{"state":null}'), 'unclear'],
  ['tombstone', reply(200, '{}'), 'unclear'],
  ['tombstone', reply(200, 'null'), 'unclear'],
  ['tombstone', reply(200, 'OK'), 'unclear'],
  ['tombstone', reply(200, '{"state":"rece'), 'unclear'],
  ['tombstone', reply(200), 'unclear'],
  ['tombstone', reply(404, '{"state":"refused"}'), 'unclear'],
  ['tombstone', reply(undefined), 'unclear'],
] as const)('the answer to a %s, %j: %s', (next, end, expected) => {
  expect(readReceiptAnswer(end, { next })).toBe(expected);
});
