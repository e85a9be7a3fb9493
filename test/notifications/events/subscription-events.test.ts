import { expect, test } from 'vitest';
import { isAboutSubscription } from '../../../notifications/events/subscription-events.js';
import { LEVELS, SUBSCRIPTION_STATES } from '../../../notifications/kinds/subscription.js';
import { AT, dataOf, emitted, PRIVATE, problemsOf, resource } from './writes.js';

const subscription = (status: object = {}, more: object = {}) =>
  resource(
    'Subscription',
    {
      ...{ state: 'active', reason: null, level: 'L1', receipts: 'read', checked_at: AT, starts_at: {} },
      ...{ keys: [{ kid: PRIVATE, secret: PRIVATE }], declarations: { secret: PRIVATE }, ...status },
    },
    { name: 'hr-sync', url: `https://hook.example/${PRIVATE}`, receipt_url: PRIVATE, headers: { 'x-key': PRIVATE } },
    { id: 'sub_1', ...more },
  );
const wordOf = (before: object, after: object, more: object = {}) =>
  emitted([subscription(before), subscription(after, more)])?.type.replace('ops.subscription.', '');
const FAILING = { failing: { since: AT, reason: 'status 503' } };
const BACKLOG = { backlog: { since: AT, pending: 800_000 } };

test.each([
  ['nothing changed', {}, {}, undefined],
  ['the endpoint begins to fail', {}, FAILING, 'failing'],
  ['it fails on for another reason', FAILING, { failing: { since: AT, reason: 'timeout' } }, undefined],
  ['it accepts events again', FAILING, {}, 'recovered'],
  ['the backlog is large', {}, BACKLOG, 'backlog'],
  ['the backlog grows on', BACKLOG, { backlog: { since: AT, pending: 900_000 } }, undefined],
  ['the backlog is worked off', BACKLOG, {}, undefined],
  ['it is paused by a client', {}, { state: 'paused' }, undefined],
  ['it was verified', { state: 'unverified' }, {}, undefined],
  ['it is disabled while it fails', FAILING, { ...FAILING, state: 'disabled', reason: 'r' }, 'disabled'],
  ['it is disabled in the write that ends the failure', FAILING, { state: 'disabled', reason: 'r' }, 'disabled'],
  ['it stays disabled', { state: 'disabled' }, { state: 'disabled', reason: 'other' }, undefined],
  ['it is resumed', { state: 'disabled', reason: 'r' }, {}, undefined],
  ['it is removed', FAILING, { state: 'removed' }, undefined],
])('%s', (_, before, after, word) => {
  expect(wordOf(before, after)).toBe(word);
});

test.each(LEVELS.flatMap((from) => LEVELS.map((to) => [from, to] as const)))('from the level %s to %s', (from, to) => {
  expect(wordOf({ level: from }, { level: to })).toBe(
    LEVELS.indexOf(to) < LEVELS.indexOf(from) ? 'lowered' : undefined,
  );
  // With changed settings it is another receiver, which has no level to lose.
  expect(wordOf({ level: from }, { level: to }, { generation: 3 })).toBeUndefined();
});

test.each(SUBSCRIPTION_STATES)('a subscription in the state %s is created and removed without an event', (state) => {
  expect(emitted([undefined, subscription({ state })])).toBeUndefined();
  expect(emitted([subscription({ state }), undefined])).toBeUndefined();
});

test.each([
  ['failing', {}, FAILING, { reason: 'status 503' }],
  ['recovered', FAILING, {}, {}],
  ['disabled', {}, { state: 'disabled', reason: 'quiet' }, { state: 'disabled', reason: 'quiet' }],
  ['disabled without a reason', {}, { state: 'disabled', reason: null }, { state: 'disabled' }],
  ['backlog', {}, BACKLOG, { pending: 800_000 }],
])('the data of %s: neither the address nor a key nor a header', (_, before, after, expected) => {
  const event = emitted([subscription(before), subscription(after)]);
  expect(dataOf(event)).toEqual({
    ...{ kind: 'Subscription', id: 'sub_1', version: 5, generation: 2, name: 'hr-sync', state: 'active', level: 'L1' },
    ...expected,
  });
  expect(event).toMatchObject({ source: '/v2/subscriptions/sub_1', key: 'ops/Subscription/sub_1/5' });
  expect(problemsOf(event?.type ?? '', dataOf(event))).toEqual([]);
});

test('a lower level is explained by the first step of the probe that failed', () => {
  const step = (sent: string, ok: boolean) => ({ sent, expected: 'e', received: `answer to ${sent}`, ok });
  const probe = { steps: [step('one', true), step('two', false), step('three', false)] };
  const lowered = (status: object) =>
    dataOf(emitted([subscription({ level: 'L2' }), subscription({ level: 'L0', ...status })])).reason;
  expect(lowered({ probe })).toBe('two: answer to two');
  expect(lowered({ probe: { steps: [step('one', true)] } })).toBeUndefined();
  expect(lowered({})).toBeUndefined();
});

test.each([
  ['ops.subscription.failing', 'subscription/sub_1', true],
  ['ops.subscription.failing', 'subscription/sub_2', false],
  ['ops.subscription.failing', 'subscription/sub_11', false],
  ['ops.gap', 'subscription/sub_1', false],
  ['dataset.positions.updated', 'subscription/sub_1', false],
])('the event %s of %s is about the subscription sub_1: %s', (type, subject, expected) => {
  expect(isAboutSubscription('sub_1', { type, subject })).toBe(expected);
});
