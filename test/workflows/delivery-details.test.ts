import { expect, test } from 'vitest';
import type { DrainSummary } from '../../activities/notifications/drain-summary.js';
import { type DeliveryDetails, deliveryDetails } from '../../workflows/delivery-details.js';

const AT = '2026-01-02T10:00:00.000Z';
const IDLE: DrainSummary = { at: AT, health: 'active', unsettled: 0, held: 0 };
const FAILING: DrainSummary = {
  ...{ at: AT, health: 'failing', unsettled: 1_234, held: 3, oldestAt: '2026-01-02T09:09:00.000Z' },
  ...{ openSince: '2026-01-01T22:00:00.000Z', retryAt: '2026-01-02T10:00:30.000Z' },
  lastFailure: { at: '2026-01-02T09:59:58.000Z', reason: 'connect ECONNREFUSED' },
};
/** The text with plain spaces and dashes. */
const textOf = (details: DeliveryDetails): string =>
  deliveryDetails(details).replaceAll('\u00a0', ' ').replaceAll('\u2011', '-').trimEnd();
/** The cell of a row. */
const cell = (row: string, details: Partial<DeliveryDetails>): string | undefined =>
  new RegExp(`^\\| ${row} \\| (.*) \\|$`, 'm').exec(textOf({ now: 'waits', ...details }))?.[1];

test('a failing subscription shows backlog, age, breaker, last error and next attempt', () => {
  const text = textOf({ now: 'waits for the next attempt', summary: FAILING, nextDueAt: '2026-01-02T10:00:30.000Z' });
  expect(text.split('\n')).toEqual([
    '### failing, 2026-01-02 10:00:00 UTC',
    '',
    '**Now:** waits for the next attempt',
    '',
    '| deliveries | |',
    '|---|---|',
    '| backlog | 1234 events, 3 held for an operator |',
    '| oldest | 51 min, since 09:09:00 |',
    '| breaker | open since 2026-01-01 22:00:00, no attempt before 10:00:30 |',
    '| last error | 09:59:58: connect ECONNREFUSED |',
    '| next attempt | 10:00:30 |',
  ]);
});

test('an idle subscription waits for its next event', () => {
  const rows = ['backlog', 'oldest', 'breaker', 'last error', 'next attempt'];
  expect(rows.map((row) => cell(row, { summary: IDLE }))).toEqual([
    ...['0 events', 'none', 'closed', 'none', 'with the next event'],
  ]);
});

test('before the first drain has ended only the present step is known', () => {
  expect(textOf({ now: 'dispatches deliveries' })).toBe('**Now:** dispatches deliveries');
});

test.each([
  ['2026-01-02T09:59:01.000Z', '59 s'],
  ['2026-01-02T09:57:00.000Z', '3 min'],
  ['2026-01-02T07:30:00.000Z', '2 h'],
  ['2025-12-30T10:00:00.000Z', '3 days'],
])('the oldest delivery from %s is %s old', (oldestAt, age) => {
  expect(cell('oldest', { summary: { ...IDLE, unsettled: 1, oldestAt } })).toContain(`${age}, since`);
});

test('a receiver that asked for a pause leaves the breaker closed', () => {
  const summary = { ...IDLE, retryAt: '2026-01-02T10:05:00.000Z' };
  expect(cell('breaker', { summary })).toBe('closed, no attempt before 10:05:00');
});

test('a subscription without a next attempt says why', () => {
  expect(cell('next attempt', { summary: { ...IDLE, health: 'paused', unsettled: 2 } })).toBe(
    'none: the subscription is paused',
  );
  expect(cell('next attempt', { summary: { ...IDLE, unsettled: 2, held: 2 } })).toBe('none until an operator acts');
});

test('an error has no meaning in Markdown', () => {
  const lastFailure = { at: AT, reason: 'a | b\n**c** <img>' };
  expect(cell('last error', { summary: { ...IDLE, lastFailure } })).toBe('10:00:00: a \\| b \\*\\*c\\*\\* \\<img\\>');
});
