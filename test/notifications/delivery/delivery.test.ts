import { expect, test } from 'vitest';
import type { Attempt, AttemptEnd, Outcome, ReceiptCheck } from '../../../notifications/kinds/attempt.js';
import { DEFAULT_SCHEDULE } from '../../../notifications/kinds/subscription.js';
import { type DeliveryPolicy, type DeliveryRecord, foldDelivery } from '../../../notifications/delivery/delivery.js';
import { retryDelayMs } from '../../../notifications/delivery/retry-schedule.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const secondsTo = (time: string): number => (Date.parse(time) - START) / 1_000;

const PLAIN: DeliveryPolicy = { schedule: DEFAULT_SCHEDULE, onAmbiguous: 'resend', receipts: 'none' };

function attempt(
  number: number,
  start: number,
  end?: Outcome | Partial<AttemptEnd>,
  more: Partial<Attempt> = {},
): Attempt {
  const ended = typeof end === 'string' ? { outcome: end } : end;
  return {
    number,
    episode: 0,
    owner: 'one',
    startedAt: at(start),
    deadline: at(start + 20),
    ...(ended && { end: { outcome: 'refused' as const, at: at(start + 1), ...ended } }),
    receipts: [],
    ...more,
  };
}
const check = (seconds: number, answer: ReceiptCheck['answer']): ReceiptCheck => ({ at: at(seconds), answer });

function fold(attempts: Attempt[], policy: Partial<DeliveryPolicy> = {}, record: Partial<DeliveryRecord> = {}) {
  const empty = { deliveryId: 'ntc_1', createdAt: at(0), settlements: [], reopenings: [] };
  return foldDelivery({ ...empty, attempts, ...record }, { ...PLAIN, ...policy });
}

test('a new notice is due at once', () => {
  expect(fold([])).toEqual({ state: 'pending', next: 'attempt', dueAt: at(0), attempt: 1 });
});

test('an open attempt is given up 5 s behind its deadline, by whoever looks', () => {
  expect(fold([attempt(1, 0)])).toEqual({ state: 'sending', next: 'judge', dueAt: at(25), attempt: 1 });
});

test('what was refused or never sent is tried again by the schedule, never early and at most a fifth late', () => {
  for (const outcome of ['refused', 'not_sent'] as const) {
    const delivery = fold([attempt(1, 0, outcome), attempt(2, 6, outcome)]);
    if (delivery.state !== 'pending') throw new Error(delivery.state);
    expect(delivery.attempt).toBe(3);
    expect(secondsTo(delivery.dueAt)).toBeGreaterThanOrEqual(7 + 300);
    expect(secondsTo(delivery.dueAt)).toBeLessThanOrEqual(7 + 360);
  }
});

test('the default schedule lasts more than 75 hours and then the notice has failed', () => {
  expect(DEFAULT_SCHEDULE.reduce((sum, seconds) => sum + seconds)).toBeGreaterThan(75 * 3_600);
  const refused = DEFAULT_SCHEDULE.map((_, n) => attempt(n + 1, n * 10, 'refused'));
  expect(fold(refused.slice(0, -1)).state).toBe('pending');
  expect(fold(refused)).toEqual({ state: 'failed', by: 'exhausted' });
});

test('an attempt that was under way when the breaker opened is tried again by the schedule, and never exhausts it', () => {
  const late = { outcome: 'not_sent', duringOutage: true, beganBefore: true } as const;
  const first = fold([attempt(1, 0, late)]);
  if (first.state !== 'pending') throw new Error(first.state);
  expect(secondsTo(first.dueAt)).toBeLessThanOrEqual(1 + 6);
  const counted = DEFAULT_SCHEDULE.slice(1).map((_, n) => attempt(n + 1, n * 10, 'refused'));
  const last = fold([...counted, attempt(10, 100, late)]);
  if (last.state !== 'pending') throw new Error(last.state);
  expect(secondsTo(last.dueAt)).toBeGreaterThanOrEqual(101 + 60);
});

test('attempts during an outage count for no step of the schedule, and each waits longer than the one before', () => {
  const during = { outcome: 'not_sent', duringOutage: true } as const;
  const counted = DEFAULT_SCHEDULE.slice(1).map((_, n) => attempt(n + 1, n * 10, 'refused'));
  const probes = Array.from({ length: 40 }, (_, n) => attempt(10 + n, 1_000 + n * 10, during));
  const waits = [1, 2, 3, 4, 5, 6, 40].map((count) => {
    const delivery = fold([...counted, ...probes.slice(0, count)]);
    if (delivery.state !== 'pending') throw new Error(delivery.state);
    expect(delivery.attempt).toBe(10 + count);
    return (secondsTo(delivery.dueAt) - (1_001 + (count - 1) * 10)) / 60;
  });
  for (const [index, minutes] of [1, 5, 30, 60, 120, 240, 240].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(minutes);
    expect(waits[index]).toBeLessThanOrEqual(minutes * 1.2);
  }
  expect(fold([...counted, ...probes, attempt(50, 2_000, 'refused')])).toEqual({ state: 'failed', by: 'exhausted' });
});

test('a receiver that asks for time gets it, beyond the schedule but never before it', () => {
  const asked = fold([attempt(1, 0, { status: 429, retryAt: at(600) })]);
  expect(asked).toMatchObject({ state: 'pending', dueAt: at(600) });
  const soon = fold([attempt(1, 0, { status: 429, retryAt: at(2) })]);
  expect(soon.state === 'pending' && secondsTo(soon.dueAt)).toBeGreaterThanOrEqual(6);
});

test('one confirmation settles, whatever came before and however late it was seen', () => {
  const settled = { state: 'delivered', by: 'confirmed' };
  expect(fold([attempt(1, 0, 'confirmed')])).toEqual(settled);
  expect(fold([attempt(1, 0, 'ambiguous'), attempt(2, 9, 'confirmed')])).toEqual(settled);
  const late = { late: { outcome: 'confirmed' as const, at: at(40) } };
  expect(fold([attempt(1, 0, 'ambiguous', late), attempt(2, 30, 'refused')])).toEqual(settled);
});

test('an ambiguous attempt is repeated, or held for people', () => {
  expect(fold([attempt(1, 0, 'ambiguous')])).toMatchObject({ state: 'pending', attempt: 2 });
  expect(fold([attempt(1, 0, 'ambiguous')], { onAmbiguous: 'hold' })).toEqual({ state: 'held' });
  expect(fold([attempt(1, 0, 'ambiguous')], { onAmbiguous: 'pull' })).toEqual({ state: 'held' });
  expect(fold([attempt(1, 0, 'refused')], { onAmbiguous: 'hold' })).toMatchObject({ state: 'pending' });
});

test('with a tombstone the receiver decides before anything is repeated', () => {
  const after = (...receipts: ReceiptCheck[]) =>
    fold([attempt(1, 0, 'ambiguous', { receipts })], { receipts: 'tombstone' });
  expect(after()).toEqual({ state: 'checking', next: 'tombstone', dueAt: at(1), attempt: 1 });
  expect(after(check(2, 'received'))).toEqual({ state: 'delivered', by: 'receipt' });
  expect(after(check(2, 'refused'))).toMatchObject({ state: 'pending', next: 'attempt', attempt: 2 });
  const again = after(check(2, 'unclear'));
  expect(again).toMatchObject({ state: 'checking', next: 'tombstone' });
  expect(again.state === 'checking' && secondsTo(again.dueAt)).toBeGreaterThanOrEqual(2 + 5);
  const never = DEFAULT_SCHEDULE.map((_, n) => check(n + 2, 'unclear'));
  expect(after(...never)).toEqual({ state: 'held' });
});

test('a receipt address that can only be read is asked behind the fence, and "absent" before it proves nothing', () => {
  const after = (...receipts: ReceiptCheck[]) => fold([attempt(1, 0, 'ambiguous', { receipts })], { receipts: 'read' });
  expect(after()).toEqual({ state: 'checking', next: 'receipt', dueAt: at(80), attempt: 1 });
  expect(after(check(30, 'absent'))).toMatchObject({ state: 'checking' });
  expect(after(check(81, 'absent'))).toMatchObject({ state: 'pending', attempt: 2 });
  expect(after(check(30, 'received'))).toMatchObject({ state: 'delivered' });
});

test('a receipt that cannot be had under hold leaves the notice to people', () => {
  const receipts = DEFAULT_SCHEDULE.map((_, n) => check(n + 2, 'unclear'));
  const policy = { receipts: 'tombstone', onAmbiguous: 'hold' } as const;
  expect(fold([attempt(1, 0, 'ambiguous', { receipts })], policy)).toEqual({ state: 'held' });
});

test('the receiver can end a notice', () => {
  expect(fold([attempt(1, 0, { outcome: 'refused', command: 'abort' })])).toEqual({ state: 'failed', by: 'aborted' });
});

test('nothing is sent by itself 30 days after the first attempt', () => {
  const days = 86_400;
  expect(fold([attempt(1, 0, 'refused'), attempt(2, 30 * days - 100, 'refused')])).toEqual({ state: 'held' });
});

test('a settlement ends its episode and a re-opening begins the next with a schedule of its own', () => {
  const settlements = [{ episode: 0, state: 'failed' as const, by: 'exhausted' as const, at: at(50) }];
  expect(fold([attempt(1, 0, 'refused')], {}, { settlements })).toEqual({ state: 'failed', by: 'exhausted' });
  const reopenings = [{ episode: 1, at: at(90), actor: 'ana' }];
  const opened = { settlements, reopenings };
  expect(fold([attempt(1, 0, 'confirmed')], {}, opened)).toEqual({
    state: 'pending',
    next: 'attempt',
    dueAt: at(90),
    attempt: 2,
  });
  const again = fold([attempt(1, 0, 'confirmed'), attempt(2, 91, 'refused', { episode: 1 })], {}, opened);
  expect(again.state === 'pending' && secondsTo(again.dueAt)).toBeLessThanOrEqual(92 + 6);
});

test('delays are the same for everybody and differ between notices', () => {
  const drawn = Array.from({ length: 200 }, (_, n) => retryDelayMs([0, 100], `ntc_${n}`, 2) ?? 0);
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(100_000);
  expect(Math.max(...drawn)).toBeLessThanOrEqual(120_000);
  expect(new Set(drawn).size).toBeGreaterThan(150);
  expect(retryDelayMs([0, 100], 'ntc_7', 2)).toBe(drawn[7]);
});
