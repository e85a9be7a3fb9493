import { expect, test } from 'vitest';
import { isOpen } from '../../../notifications/delivery/breaker.js';
import {
  askHost,
  finishAtHost,
  type HostState,
  idleHost,
  leaveHost,
  nextAtHost,
  nextSeats,
  observeHost,
  quitHost,
  startAtHost,
} from '../../../notifications/delivery/host-gate.js';

const LIMITS = { now: 0, concurrency: 2 };

/** Lets seats ask in turn; each start stays under way. @returns the seats that may start */
function ask(state: HostState<string>, seats: string, now = 0) {
  const granted: string[] = [];
  for (const seat of seats) {
    const asked = askHost(state, { ...LIMITS, seat, now });
    state = asked.isGranted ? startAtHost(asked.state, now) : asked.state;
    if (asked.isGranted) granted.push(seat);
  }
  return { state, granted: granted.join('') };
}
const afterFailures = (count: number): HostState<string> => {
  let state = idleHost<string>();
  for (let at = 0; at < count; at += 1) state = observeHost(state, { at, isConnected: false });
  return state;
};

test('a host has room for its limit, whichever seats take it', () => {
  expect(ask(idleHost(), 'aab').granted).toBe('aa');
  expect(ask(idleHost(), 'abc').granted).toBe('ab');
});

test('a place that is free again goes to the seat that waits the longest, not to the one that held it', () => {
  const full = ask(idleHost(), 'aabca').state;
  const free = finishAtHost(full, 0);
  expect(nextSeats(free, LIMITS)).toEqual(['b']);
  const { state, granted } = ask(free, 'acb');
  expect(granted).toBe('b');
  expect(nextSeats(finishAtHost(state, 0), LIMITS)).toEqual(['c']);
});

test('a seat that asks again keeps its turn', () => {
  const full = ask(idleHost(), 'aabcbb').state;
  expect(full.waiting.map(({ seat }) => seat)).toEqual(['b', 'c']);
});

test('a seat that does not ask again, or leaves, holds up no other', () => {
  const free = finishAtHost(ask(idleHost(), 'aab').state, 0);
  expect(ask(free, 'c', 4_999).granted).toBe('');
  expect(ask(free, 'c', 5_000).granted).toBe('c');
  expect(ask(leaveHost(free, 'b'), 'c').granted).toBe('c');
});

test('ten failed connections in a row close the host to all seats, and then one probe tells whether it is back', () => {
  expect(isOpen(afterFailures(9).breaker)).toBe(false);
  const open = afterFailures(10);
  const retryAt = open.breaker.retryAt ?? 0;
  expect(ask(open, 'abc', retryAt - 1).granted).toBe('');
  const probing = ask(open, 'abc', retryAt);
  expect(probing.granted).toBe('a');

  const failed = finishAtHost(observeHost(probing.state, { at: retryAt + 1, isConnected: false }), retryAt + 1);
  expect(ask(failed, 'abc', retryAt + 1).granted).toBe('');
  expect(nextAtHost(failed, { ...LIMITS, seat: 'b', now: retryAt + 1 })).toBe(retryAt + 1 + 60_000);

  const back = finishAtHost(observeHost(probing.state, { at: retryAt + 1, isConnected: true }), retryAt + 1);
  expect(nextSeats(back, { ...LIMITS, now: retryAt + 1 })).toEqual(['b', 'c']);
  expect(ask(back, 'bc', retryAt + 1).granted).toBe('bc');
});

test('a connection in between starts the row again', () => {
  let state = observeHost(afterFailures(9), { at: 9, isConnected: true });
  state = observeHost(state, { at: 10, isConnected: false });
  expect(isOpen(state.breaker)).toBe(false);
});

test.each([
  ['with room', idleHost<string>(), 100, 100],
  ['while it is full, after a pause', ask(idleHost(), 'bbc', 100).state, 100, 5_100],
  [
    'with all places promised to others, after a pause',
    finishAtHost(ask(idleHost(), 'bbc', 100).state, 100),
    100,
    5_100,
  ],
  ['while its breaker is open, when it may be probed', afterFailures(10), 100, 30_009],
  ['during a probe, at its latest end', startAtHost(afterFailures(10), 40_000), 40_000, 60_000],
])('a seat may start: %s', (_, state, now, at) => {
  expect(nextAtHost(state, { ...LIMITS, seat: 'a', now })).toBe(at);
});

/** Times to come back at, after seats that were refused quit in turn. */
function quit(state: HostState<string>, seats: string, now: number): number[] {
  return [...seats].map((seat) => {
    const asked = askHost(state, { ...LIMITS, seat, now });
    const left = quitHost(asked.state, { seat, now });
    state = left.state;
    return left.returnAt ?? NaN;
  });
}

test('drains that end while the host hangs come back one after another, a minute later at the most', () => {
  const hangs = ask(idleHost(), 'xy', 0).state;
  expect(quit(hangs, 'abcdefgh', 10_000)).toEqual([15_000, 25_000, 35_000, 45_000, 55_000, 65_000, 70_000, 70_000]);
});

test('the faster attempts end, the sooner drains come back', () => {
  let state = ask(idleHost(), 'xy', 0).state;
  for (let at = 100; at <= 10_000; at += 100) state = startAtHost(finishAtHost(state, at), at);
  expect(quit(state, 'abcd', 10_000).map((at) => Math.round(at / 100) / 10)).toEqual([15, 15.1, 15.2, 15.3]);
});

test('a seat that was not refused comes back when it likes', () => {
  expect(quitHost(idleHost<string>(), { seat: 'a', now: 5 })).toEqual({ state: idleHost() });
});
