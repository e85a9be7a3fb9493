import { expect, test } from 'vitest';
import type { SubscriptionStatus } from '../../../notifications/kinds/subscription.js';
import {
  healthOf,
  initialStatus,
  pausedStatus,
  removedStatus,
  resumedStatus,
  withoutReceiver,
  withStreams,
} from '../../../notifications/kinds/subscription-status.js';

const AT = '2026-01-01T00:00:00.000Z';
const key = { kid: 'k_1', kind: 'hmac', secret: 'sealed', created_at: AT, expires_at: null } as const;
const begin = { starts_at: { 'a.b': { position: 7, index: 0 } }, declarations: {} };
const [push, pull] = [{ mode: 'push' }, { mode: 'pull' }] as const;
const fresh = initialStatus(push, { keys: [key], ...begin });
const proven: SubscriptionStatus = { ...fresh, state: 'active', checked_at: AT };

test('a new subscription waits for its receiver, unless it is only pulled', () => {
  expect(fresh).toEqual({
    ...{ state: 'unverified', reason: null, keys: [key], level: 'L0', receipts: 'none', checked_at: null },
    ...begin,
  });
  expect(initialStatus(pull, { keys: [key], ...begin }).state).toBe('active');
});

test('a paused subscription resumes when its receiver has answered once, or when it has none', () => {
  const disabled = { ...proven, state: 'disabled', reason: 'gone' } as const;
  expect(pausedStatus(disabled)).toEqual({ ...proven, state: 'paused', reason: null });
  expect(resumedStatus(pausedStatus(proven), push)).toEqual(proven);
  expect(resumedStatus(pausedStatus(fresh), push)).toEqual(fresh);
  expect(resumedStatus(pausedStatus(fresh), pull).state).toBe('active');
});

test('the health is the state, or the gravest trouble of an active subscription', () => {
  const failing = { since: AT, reason: 'status 503' };
  const backlog = { since: AT, pending: 800_000 };
  expect(healthOf(proven)).toBe('active');
  expect(healthOf({ ...proven, failing, backlog })).toBe('failing');
  expect(healthOf({ ...proven, backlog })).toBe('backlog');
  expect(healthOf(pausedStatus({ ...proven, failing }))).toBe('paused');
  expect(healthOf(fresh)).toBe('unverified');
  expect(healthOf(removedStatus(proven))).toBeUndefined();
});

test('a removed subscription keeps no key', () => {
  expect(removedStatus(proven)).toEqual({ ...proven, state: 'removed', keys: [] });
});

test('a subscription that is only pulled from now on needs no answer of a receiver', () => {
  expect(withoutReceiver({ ...fresh, reason: 'refused' }, pull)).toEqual({ ...fresh, state: 'active' });
  expect(withoutReceiver(fresh, push)).toBe(fresh);
  expect(withoutReceiver(pausedStatus(fresh), pull).state).toBe('paused');
});

test('streams that are read already continue at their position, removed ones lose it', () => {
  const status = { ...proven, starts_at: { 'a.b': { position: 3, index: 1 }, 'c.d': { position: 1, index: 0 } } };
  const next = { starts_at: { 'a.b': { position: 9, index: 0 }, 'e.f': { position: 5, index: 0 } }, declarations: {} };
  expect(withStreams(status, next).starts_at).toEqual({
    'a.b': { position: 3, index: 1 },
    'e.f': { position: 5, index: 0 },
  });
});

test('new declarations are added to those of the earlier settings', () => {
  const status = {
    ...proven,
    declarations: { a: { generation: 1 }, b: { generation: 1 } },
  } as unknown as typeof proven;
  const next = { starts_at: {}, declarations: { b: { generation: 2 } } } as unknown as typeof begin;
  expect(withStreams(status, next).declarations).toEqual({ a: { generation: 1 }, b: { generation: 2 } });
});
