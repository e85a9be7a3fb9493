import { expect, test } from 'vitest';
import { timestampOf } from '../../../notifications/delivery/attempt-time.js';
import { outcomeOf } from '../../../notifications/delivery/outcome.js';
import type { Attempt, AttemptEnd, Outcome } from '../../../notifications/kinds/attempt.js';
import { countAttempt, NO_ATTEMPTS } from '../../../notifications/kinds/attempt-stats.js';

test.each([
  [{ bytesLeft: true, status: 200 }, 'confirmed'],
  [{ bytesLeft: true, status: 299 }, 'confirmed'],
  [{ bytesLeft: true, status: 300 }, 'refused'],
  [{ bytesLeft: true, status: 410 }, 'refused'],
  [{ bytesLeft: true, status: 599 }, 'refused'],
  // A status is proof enough, however little was noted of the bytes.
  [{ bytesLeft: false, status: 204 }, 'confirmed'],
  [{ bytesLeft: false, status: 503 }, 'refused'],
  [{ bytesLeft: true }, 'ambiguous'],
  [{ bytesLeft: false }, 'not_sent'],
] as const)('an attempt of which %j is known is %s', (evidence, outcome) => {
  expect(outcomeOf(evidence)).toBe(outcome);
});

const attempt = (startedAt: string): Attempt => ({
  ...{ number: 1, episode: 0, owner: 'o', startedAt, deadline: startedAt, receipts: [] },
});
const second = (text: string): number => Date.parse(`2026-01-02T00:00:${text}Z`) / 1_000;

test.each([
  ['one attempt', ['05.999'], 5],
  ['attempts of one second', ['05.100', '05.900'], 6],
  ['a clock that runs back', ['05.000', '03.000', '04.000'], 7],
  ['attempts with time between them', ['05.000', '30.000'], 30],
])('the signed time of %s rises by a second at least', (_, times, expected) => {
  const attempts = times.map((time) => attempt(`2026-01-02T00:00:${time}Z`));
  expect(timestampOf(attempts)).toBe(second(`${String(expected).padStart(2, '0')}.000`));
});

test('without an attempt nothing was signed', () => {
  expect(timestampOf([])).toBe(0);
});

test('attempts are counted by their outcomes, in a copy', () => {
  const ends = (['confirmed', 'refused', 'refused', 'ambiguous', 'not_sent'] satisfies Outcome[]).map(
    (outcome): AttemptEnd => ({ outcome, at: '' }),
  );
  expect(ends.reduce(countAttempt, NO_ATTEMPTS).outcomes).toEqual({
    ...{ confirmed: 1, refused: 2, ambiguous: 1, not_sent: 1 },
  });
  expect(NO_ATTEMPTS.outcomes.confirmed).toBe(0);
});
