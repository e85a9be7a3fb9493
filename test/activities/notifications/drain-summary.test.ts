import { expect, test } from 'vitest';
import { type SummarySource, summarize } from '../../../activities/notifications/drain-summary.js';
import type { HostOutage } from '../../../activities/notifications/webhook-hosts.js';
import { type BreakerState, CLOSED } from '../../../notifications/delivery/breaker.js';
import type { Subscription, SubscriptionStatus } from '../../../notifications/kinds/subscription.js';
import { openDelivery } from './delivery-scene.js';

const AT = Date.parse('2026-01-02T00:00:00.000Z');
const textOf = (ms: number): string => new Date(ms).toISOString();

const subscription = (status: Partial<SubscriptionStatus> = {}): Subscription =>
  ({ status: { state: 'active', ...status } }) as Subscription;
interface Given {
  breaker?: Partial<BreakerState>;
  hostOutage?: HostOutage;
  unsettled?: number;
  held?: number;
  reason?: string;
}
const source = ({ breaker, hostOutage, unsettled = 0, held = 0, reason = '' }: Given = {}): SummarySource => ({
  endpoint: {
    breaker: { ...CLOSED, ...breaker },
    hostOutage,
    lastFailure: reason === '' ? undefined : { at: textOf(AT - 1), reason },
  },
  dispatcher: { queue: { counts: () => ({ held }) as ReturnType<SummarySource['dispatcher']['queue']['counts']> } },
  unsettled: () => unsettled,
  oldest: () => ({ record: { createdAt: textOf(AT - 60_000) } }) as ReturnType<SummarySource['oldest']>,
});

test('an idle subscription has a health and nothing else to show', () => {
  expect(summarize(source(), subscription(), new Date(AT))).toEqual({
    ...{ at: textOf(AT), health: 'active', unsettled: 0, held: 0 },
  });
});

test('a backlog is shown with its oldest delivery, and an open breaker with its next attempt', () => {
  const breaker = { openings: 2, openSince: AT - 90_000, retryAt: AT + 30_000 };
  const failing = { since: textOf(AT - 90_000), reason: 'status 503' };
  const given = source({ breaker, unsettled: 5, held: 1, reason: 'status 503' });
  expect(summarize(given, subscription({ failing }), new Date(AT))).toEqual({
    ...{ at: textOf(AT), health: 'failing', unsettled: 5, held: 1, oldestAt: textOf(AT - 60_000) },
    ...{ openSince: textOf(AT - 90_000), retryAt: textOf(AT + 30_000) },
    lastFailure: { at: textOf(AT - 1), reason: 'status 503' },
  });
});

test('the outage of a host is shown when it keeps deliveries of a healthy endpoint waiting', () => {
  const breaker = { ...CLOSED, openings: 1, openSince: AT - 9_000, retryAt: AT + 21_000 };
  const hostOutage = { breaker, lastFailure: { at: textOf(AT - 9_000), reason: 'connect ECONNREFUSED' } };
  expect(summarize(source({ hostOutage, unsettled: 1 }), subscription(), new Date(AT))).toMatchObject({
    ...{ openSince: textOf(AT - 9_000), retryAt: textOf(AT + 21_000) },
    lastFailure: { reason: 'connect ECONNREFUSED' },
  });
});

test('a pause that is over is not shown, and a long reason is cut', () => {
  const given = source({ breaker: { retryAt: AT }, reason: 'x'.repeat(500) });
  const summary = summarize(given, subscription(), new Date(AT));
  expect(summary).not.toHaveProperty('retryAt');
  expect(summary?.lastFailure?.reason).toHaveLength(200);
});

test('a removed subscription has no summary', () => {
  expect(summarize(source(), subscription({ state: 'removed' }), new Date(AT))).toBeUndefined();
});

test('a drain against a broken receiver returns its backlog and failure, and the next drain remembers the failure', async () => {
  let isBroken = true;
  const { write, change, drain, subscriptions, id } = await openDelivery(
    (_, response) => void response.writeHead(isBroken ? 503 : 200).end('a long page about the fault'),
  );
  const began = textOf(Date.now());
  await write(...Array.from({ length: 12 }, (_, n) => change(String(n), 'Open')));
  const { summary } = await drain();
  expect(summary).toMatchObject({ health: 'failing', unsettled: 12, held: 0, lastFailure: { reason: 'status 503' } });
  expect([summary?.oldestAt, summary?.openSince].every((at = '') => at >= began)).toBe(true);
  expect(Date.parse(summary?.retryAt ?? '')).toBeGreaterThan(Date.parse(summary?.at ?? ''));
  expect(JSON.stringify(summary)).not.toContain('long page');

  isBroken = false;
  const later = await drain();
  expect(later.summary).toMatchObject({ health: 'failing', lastFailure: { reason: 'status 503' } });

  await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'paused' } }));
  expect((await drain()).summary).toMatchObject({ health: 'paused', unsettled: 12 });
});
