import { expect, test } from 'vitest';
import type { Attempt } from '../../../notifications/kinds/attempt.js';
import type { ProbeReport } from '../../../notifications/kinds/probe.js';
import {
  type Subscription,
  SubscriptionSpec,
  type SubscriptionStatus,
} from '../../../notifications/kinds/subscription.js';
import {
  afterContradiction,
  afterProbe,
  isContradicted,
  isProbeDue,
  probeFailureReason,
} from '../../../notifications/delivery/probe.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const DAY = 86_400;

const NEW: SubscriptionStatus = {
  ...{ state: 'unverified', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
  ...{ starts_at: {}, declarations: {} },
};
const step = { sent: 'POST https://a.example', expected: 'a status of 2xx', received: '401', ok: false };
const SILENT: ProbeReport = { at: at(5), answered: false, level: 'L0', receipts: 'none', steps: [step] };
const GOOD: ProbeReport = { at: at(9), answered: true, level: 'L2', receipts: 'tombstone', steps: [] };

test('the first answer makes a subscription active; until then it says why it is not', () => {
  const waiting = afterProbe(NEW, SILENT);
  expect(waiting).toMatchObject({ state: 'unverified', reason: 'POST https://a.example: 401', checked_at: null });
  const active = afterProbe(waiting, GOOD);
  expect(active).toMatchObject({
    state: 'active',
    reason: null,
    level: 'L2',
    receipts: 'tombstone',
    checked_at: at(9),
  });
  expect(probeFailureReason(SILENT)).toBe('POST https://a.example: 401');
});

test('a probe without an answer keeps the proven level, and a probe with an answer resumes no subscription', () => {
  const proven = afterProbe(NEW, GOOD);
  expect(afterProbe(proven, SILENT)).toMatchObject({ state: 'active', level: 'L2', checked_at: at(9), probe: SILENT });
  for (const state of ['paused', 'disabled'] as const) {
    expect(afterProbe({ ...proven, state }, GOOD)).toMatchObject({ state });
  }
});

test('the rate that a receiver grants is kept until it says otherwise', () => {
  const limited = afterProbe(NEW, { ...GOOD, allowed_per_minute: 120 });
  expect(limited.allowed_rate).toEqual({ per_minute: 120 });
  expect(afterProbe(limited, SILENT).allowed_rate).toEqual({ per_minute: 120 });
  expect(afterProbe(limited, GOOD)).not.toHaveProperty('allowed_rate');
});

test('a receiver is looked at weekly, each at a time of its own, and every ten minutes until it has answered', () => {
  const spec = SubscriptionSpec.parse({ name: 'a', types: ['dataset.a.*'], url: 'https://a.example' });
  const isDue = (status: SubscriptionStatus, seconds: number, more: object = {}): boolean =>
    isProbeDue({ id: 'sub_1', spec: { ...spec, ...more }, status } as Subscription, new Date(at(seconds)));
  const active = afterProbe(NEW, GOOD);
  expect(isDue(active, 7 * DAY)).toBe(false);
  expect(isDue(active, 7.6 * DAY)).toBe(true);
  expect(isDue(afterProbe(NEW, SILENT), 300)).toBe(false);
  expect(isDue(afterProbe(NEW, SILENT), 700)).toBe(true);
  expect(isDue({ ...NEW, state: 'active' }, 0)).toBe(true); // of before there were probes
  expect(isDue({ ...active, state: 'paused' }, 99 * DAY)).toBe(false);
  expect(isDue(active, 99 * DAY, { mode: 'pull' })).toBe(false);
});

const attempt = (second: number, receipt?: 'new' | 'duplicate', more: Partial<Attempt> = {}): Attempt => ({
  ...{ number: second, episode: 0, owner: 'one', startedAt: at(second), deadline: at(second + 20), receipts: [] },
  end: { outcome: receipt ? 'confirmed' : 'ambiguous', at: at(second + 1), ...(receipt && { receipt }) },
  ...more,
});

test('what was new once is no proof; what is new twice is one', () => {
  const received = { receipts: [{ at: at(12), answer: 'received' as const }] };
  expect(isContradicted([attempt(10, 'new')], at(0))).toBe(false);
  expect(isContradicted([attempt(10), attempt(20, 'new')], at(0))).toBe(false);
  expect(isContradicted([attempt(10, 'new'), attempt(20, 'duplicate')], at(0))).toBe(false);
  expect(isContradicted([attempt(10, 'new'), attempt(20, 'new')], at(0))).toBe(true);
  expect(isContradicted([attempt(10, undefined, received), attempt(20, 'new')], at(0))).toBe(true);
  const late = { late: { outcome: 'confirmed' as const, at: at(30), receipt: 'new' as const } };
  expect(isContradicted([attempt(10, undefined, late), attempt(20, 'new')], at(0))).toBe(true);
});

test('what was said before the proof may have been another receiver, and ids are not kept for ever', () => {
  const twice = [attempt(10, 'new'), attempt(20, 'new')];
  expect(isContradicted(twice, at(15))).toBe(false);
  expect(isContradicted([attempt(10, 'new'), attempt(10 + 31 * DAY, 'new')], at(0))).toBe(false);
});

test('a level that does not hold is taken back, with what showed it', () => {
  const status = afterContradiction(afterProbe(NEW, GOOD), { ...step, received: 'new' }, at(99));
  expect(status).toMatchObject({ state: 'active', level: 'L0', receipts: 'none', checked_at: at(99) });
  expect(status.probe?.steps.at(-1)).toMatchObject({ received: 'new', ok: false });
});
