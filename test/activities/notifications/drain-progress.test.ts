import { expect, test } from 'vitest';
import { type DrainState, toProgress } from '../../../activities/notifications/drain-progress.js';
import { CLOSED } from '../../../notifications/delivery/breaker.js';
import { NO_ATTEMPTS } from '../../../notifications/kinds/attempt-stats.js';

const AT = new Date('2026-01-02T00:00:00.000Z');
const AGAIN = { attempt: 2, dueAt: AT.toISOString() };

/** A drain whose outbox ends at 20 and that has loaded up to 15, with the deliveries 3, 7 and 9 open. */
function state({
  held = [],
  reopened = [],
  open = 3,
  recovery,
}: { held?: number[]; reopened?: number[]; open?: number; recovery?: object } = {}) {
  const counts = { open, parked: 1, held: held.length, delivered: 11, failed: 1, cancelled: 0 };
  return {
    head: { block: 8, sequence: 20, sources: { positions: { position: 9, index: 0 } }, generation: 2 },
    generation: 3,
    window: {
      progress: () => ({
        loadedThrough: 15,
        loadedBlock: 6,
        open: [3, 7, 9].map((sequence) => ({ sequence, block: 2 })),
      }),
      get: (sequence: number) => ({ record: { reopenings: reopened.includes(sequence) ? [{}] : [] } }),
    },
    dispatcher: {
      attempts: NO_ATTEMPTS,
      queue: {
        counts: () => counts,
        isHeld: (sequence: number) => held.includes(sequence),
        retryOf: (sequence: number) => (sequence === 9 ? AGAIN : undefined),
      },
    },
    operatorActions: { progress: () => ({ interventions: 4, touched: [18] }) },
    recovery: { position: recovery },
    endpoint: { breaker: { failures: 2 }, keysUsed: { k1: AT.toISOString() } },
  } as unknown as DrainState;
}

test('the progress has the head, the window, the counts and the state of the endpoint', () => {
  expect(toProgress(state(), AT)).toEqual({
    ...{ block: 8, sequence: 20, sources: { positions: { position: 9, index: 0 } }, generation: 2, dueBy: 3 },
    ...{ loadedThrough: 15, loadedBlock: 6, interventions: 4, touched: [18], parked: 1, attempts: NO_ATTEMPTS },
    ...{ breaker: { failures: 2 }, keysUsed: { k1: AT.toISOString() }, at: AT.toISOString() },
    open: [
      { sequence: 3, block: 2 },
      { sequence: 7, block: 2 },
      { sequence: 9, block: 2, again: AGAIN },
    ],
    counts: { pending: 8, held: 0, delivered: 11, failed: 1, cancelled: 0 },
  });
});

test('what is held is not pending', () => {
  expect(toProgress(state({ held: [3, 7] }), AT).counts).toMatchObject({ pending: 6, held: 2 });
});

test('held and reopened deliveries are loaded whole by the next drain, whatever retry they have', () => {
  const { open } = toProgress(state({ held: [3], reopened: [9] }), AT);
  expect(open).toEqual([
    { sequence: 3, block: 2, held: true },
    { sequence: 7, block: 2 },
    { sequence: 9, block: 2, held: true },
  ]);
});

test('a recovery is part of the progress once there was one', () => {
  expect(toProgress(state(), AT)).not.toHaveProperty('recovery');
  expect(toProgress(state({ recovery: { number: 1, next: 5 } }), AT).recovery).toEqual({ number: 1, next: 5 });
});

test('the last failure and the outage of a host are part of the progress while there are any', () => {
  expect(toProgress(state(), AT)).not.toHaveProperty('lastFailure');
  expect(toProgress(state(), AT)).not.toHaveProperty('hostOutage');
  const given = state();
  const lastFailure = { at: AT.toISOString(), reason: 'status 503' };
  const hostOutage = { breaker: { ...CLOSED, openings: 1 } };
  const endpoint = { ...given.endpoint, lastFailure, hostOutage };
  expect(toProgress({ ...given, endpoint }, AT)).toMatchObject({ lastFailure, hostOutage });
});
