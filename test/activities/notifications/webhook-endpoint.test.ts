import { expect, test } from 'vitest';
import { createWebhookEndpoint, type WebhookEndpoint } from '../../../activities/notifications/webhook-endpoint.js';
import { createWebhookHosts } from '../../../activities/notifications/webhook-hosts.js';
import type { AttemptEnd } from '../../../notifications/kinds/attempt.js';
import { type Subscription, SubscriptionSpec } from '../../../notifications/kinds/subscription.js';

const AT = Date.parse('2026-01-01T00:00:00.000Z');
const subscription = (per_minute?: number): Subscription => ({
  ...{ kind: 'Subscription', id: 'sub_1', uid: 'u', generation: 1, revision: 1 },
  ...{ createdAt: '', updatedAt: '', createdBy: 'ana', updatedBy: 'ana' },
  spec: SubscriptionSpec.parse({
    ...{ name: 'a', types: ['dataset.a.*'], url: 'https://a.example' },
    rate: { per_second: 10, concurrency: 100 },
  }),
  status: {
    ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
    ...{ starts_at: {}, declarations: {} },
    ...(per_minute !== undefined && { allowed_rate: { per_minute } }),
  },
});

/** Runs attempts from a second on, each answered at once. */
function startsFrom(endpoint: WebhookEndpoint, second: number, seconds: number): number {
  let starts = 0;
  for (let now = AT + second * 1_000; now < AT + (second + seconds) * 1_000; now += 100) {
    while (endpoint.mayStart(now, 0)) {
      endpoint.started(now);
      endpoint.ended({ outcome: 'confirmed', at: new Date(now).toISOString(), status: 200 } satisfies AttemptEnd);
      starts += 1;
    }
  }
  return starts;
}

test('a rate that the receiver grants lowers the one that was asked for, and never raises it', () => {
  expect(startsFrom(createWebhookEndpoint(subscription(), []), 0, 60)).toBe(600);
  expect(startsFrom(createWebhookEndpoint(subscription(90), []), 0, 60)).toBe(90);
  expect(startsFrom(createWebhookEndpoint(subscription(6_000), []), 0, 60)).toBe(600);
});

test('another worker continues with the saved state, and a new grant counts at once', () => {
  const first = createWebhookEndpoint(subscription(30), []);
  expect(startsFrom(first, 0, 40)).toBe(30);
  const second = createWebhookEndpoint(subscription(30), [], first);
  expect(startsFrom(second, 41, 15)).toBe(0);
  second.refresh(subscription(), []);
  expect(startsFrom(second, 56, 1)).toBe(10);
  second.refresh(subscription(30), []);
  expect(startsFrom(second, 57, 10)).toBe(0);
});

test('an end is part of an outage when the breaker is open, or opens with it', () => {
  const endpoint = createWebhookEndpoint(subscription(), []);
  const failed: AttemptEnd = { outcome: 'refused', status: 500, at: new Date(AT).toISOString() };
  const known: (number | undefined)[] = [];
  for (let n = 0; n < 11; n += 1) {
    known.push(endpoint.target.outageSince(failed));
    endpoint.ended(failed);
  }
  expect(known).toEqual([...Array<undefined>(9).fill(undefined), AT, AT]);
  expect(endpoint.target.outageSince({ ...failed, outcome: 'confirmed' })).toBeUndefined();
});

test('each key has the time of its last signature, over restarts and until it is removed', () => {
  const key = (kid: string, expires_at: string | null = null) =>
    ({ kid, kind: 'hmac', secret: '', created_at: '', expires_at }) as const;
  const withKeys = (...keys: ReturnType<typeof key>[]): Subscription => {
    const given = subscription();
    return { ...given, status: { ...given.status, keys } };
  };
  const at = (second: number): string => new Date(AT + second * 1_000).toISOString();
  const first = createWebhookEndpoint(withKeys(key('new'), key('old', at(10))), []);
  expect(first.keysUsed).toEqual({});
  first.started(AT + 5_000);
  first.started(AT + 20_000);
  expect(first.keysUsed).toEqual({ new: at(20), old: at(5) });
  const second = createWebhookEndpoint(withKeys(key('newest'), key('new')), [], first);
  expect(second.keysUsed).toEqual({ new: at(20) });
  second.started(AT + 30_000);
  second.refresh(withKeys(key('newest')), []);
  expect(second.keysUsed).toEqual({ newest: at(30) });
});

/** Two endpoints at one host, of which the first has found that it takes no connections. */
function openAtDeadHost() {
  const hosts = createWebhookHosts();
  const at = (url: string) => hosts.seat({ url: new URL(url), now: AT, wake: () => {} });
  const first = createWebhookEndpoint(subscription(), [], {}, at('https://a.example/1'));
  const second = createWebhookEndpoint(subscription(), [], {}, at('https://a.example/2'));
  for (let n = 0; n < 10; n += 1) first.ended(unreachableAt(AT));
  return { first, second };
}
const unreachableAt = (at: number): AttemptEnd => ({
  ...{ outcome: 'not_sent', at: new Date(at).toISOString(), bytesLeft: false, unreachable: true, error: 'refused' },
});

test('an endpoint whose host is down makes no attempt, and is failing while deliveries wait', () => {
  const { second } = openAtDeadHost();
  expect([second.mayStart(AT, 0), second.nextAt(0, AT)]).toEqual([false, AT + 30_000]);
  expect(second.failing).toEqual({ since: new Date(AT).toISOString(), reason: 'refused' });
  second.rest(AT, { isPending: false });
  expect(second.failing).toBeUndefined();
});

test('the probe of a host is part of its outage for every endpoint, and ends it for all', () => {
  const { first, second } = openAtDeadHost();
  expect(second.target.outageSince(unreachableAt(AT + 30_000))).toBe(AT);
  expect(second.mayStart(AT + 30_000, 0)).toBe(true);
  second.started(AT + 30_000);
  second.ended({ outcome: 'refused', at: new Date(AT + 30_000).toISOString(), status: 404 });
  second.finished(AT + 30_000);
  expect([first.hostOutage, second.failing]).toEqual([undefined, undefined]);
});

test('an endpoint is given up when its host took no connection for five days', () => {
  const { second } = openAtDeadHost();
  const later = AT + 5 * 86_400_000;
  expect(second.ended(unreachableAt(later - 1))).toBeUndefined();
  expect(second.ended(unreachableAt(later))).toBe('no attempt succeeded for five days');
});
